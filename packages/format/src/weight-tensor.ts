import type { ByteSource, ReadOptions, SourceOrigin } from "./byte-source.ts";
import type { DType } from "./dtype.ts";
import type { Device } from "./program/exported-program.ts";

/** The bytes behind one or several tensors: one storage per entry, so tied weights and views share it. */
export interface Storage {
  /** Unique within the archive. */
  readonly id: string;
  readonly nbytes: number;
  /** The archive entry that holds it. */
  readonly entry: string;
  /**
   * All bytes, little-endian. Without `into` they may be a view of the source's memory (no copy, read-only), aligned as
   * the file aligns them.
   */
  read(options?: ReadOptions): Promise<Uint8Array>;
  /** The bytes as a source of their own, to be read in parts: for storages larger than what memory should hold at once. */
  open?(options?: Pick<ReadOptions, "signal">): Promise<ByteSource>;
  /** Whom to tell that it will be read soon, where that takes long: those that have the same can be told of together. */
  readonly far?: FarStorages;
  /** Where another thread can read them without this one, or null. */
  locate?(): Promise<SourceOrigin | null>;
}

/** Reads storages by few long requests when it knows in advance which they are. */
export interface FarStorages {
  /** Says which will be read soon, each once. Returns how to say that no more of them will be. */
  expect(ids: readonly string[], options?: Pick<ReadOptions, "signal">): () => void;
}

/** What a tensor of the archive is to its module. */
export type WeightKind = "parameter" | "buffer" | "constant";

/** A tensor of the archive: a checked strided view of a storage. */
export interface WeightTensor {
  /** Fully qualified name in the module. */
  readonly name: string;
  readonly kind: WeightKind;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
  /** In elements. */
  readonly storageOffset: number;
  readonly storage: Storage;
  readonly requiresGrad: boolean;
  /** Where the exporting process had it; the bytes are the same everywhere. */
  readonly device: Device;
}
