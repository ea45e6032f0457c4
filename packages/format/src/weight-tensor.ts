import type { ByteSource, ReadOptions, SourceOrigin } from "./byte-source.ts";
import type { DType } from "./dtype.ts";
import type { Device } from "./program/exported-program.ts";

/** The bytes of one or several tensors. Each entry is one storage, so tied weights and views share it. */
export interface Storage {
  /** Weights whose storages have one id share memory; storages of two archives never have the same. */
  readonly id: string;
  readonly nbytes: number;
  /** The archive entry that holds the bytes. */
  readonly entry: string;
  /** The CRC-32 of the bytes that the archive states; absent where it states none. */
  readonly crc32?: number;
  /**
   * Reads all bytes, little-endian. Without `into` they may be a view of the source's memory (no copy, read-only),
   * aligned as in the file.
   */
  read(options?: ReadOptions): Promise<Uint8Array>;
  /** Opens the bytes as a source of its own: for storages that are too large to hold in memory at once. */
  open?(options?: Pick<ReadOptions, "signal">): Promise<ByteSource>;
  /** Announces reads where they take long. Storages with the same object can be announced together. */
  readonly far?: FarStorages;
  /** Returns where another thread can read the bytes, or null. */
  locate?(): Promise<SourceOrigin | null>;
}

/** Fetches announced storages in a few long requests. */
export interface FarStorages {
  /** Announces storages that will be read soon, each once. Returns a function that ends the announcement. */
  expect(ids: readonly string[], options?: Pick<ReadOptions, "signal">): () => void;
}

/** The role of a weight in its module. */
export type WeightKind = "parameter" | "buffer" | "constant";

/** A weight: a checked strided view of a storage. */
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
  /** The device in the exporting process; it does not affect the bytes. */
  readonly device: Device;
}
