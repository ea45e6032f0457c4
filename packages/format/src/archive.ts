import type { ReadOptions } from "./byte-source.ts";
import type { ExportedProgram } from "./program/exported-program.ts";
import type { Pt2Error } from "./pt2-error.ts";
import type { SampleInputs } from "./sample-inputs.ts";
import type { WeightTensor } from "./weight-tensor.ts";

/** The layout of an archive, by the torch versions that write it. */
export type Generation = "flat" | "pickled" | "current";

/** Describes one entry of an archive; its name is relative to the root folder. */
export interface ArchiveEntry {
  readonly name: string;
  /** The size in bytes after decompression. */
  readonly size: number;
  readonly compressed: boolean;
}

/** Options of {@link openArchive}. */
export interface ArchiveOptions {
  /** Aborts the opening. Later reads take signals of their own. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Compares the CRC-32 of every entry that is read, where the file has one. Without it, only damage to the structure
   * of the file is noticed. @default true for sources over HTTP, false for local ones
   */
  readonly verifyChecksums?: boolean | undefined;
  /** Called with problems that do not stop a load, such as sample inputs of an unknown Python class. */
  readonly onWarning?: ((problem: Pt2Error) => void) | undefined;
}

/** The signal that aborts a read. */
export type ReadSignal = Pick<ReadOptions, "signal">;

/** An open `.pt2` file. Opening it reads only the zip directory. */
export interface Archive {
  readonly kind: "pt2";
  /** `flat` is torch ≤ 2.7, `pickled` is 2.8, `current` is 2.9 and later. */
  readonly generation: Generation;
  /** Root folder inside the zip, `""` in a flat archive. */
  readonly root: string;
  readonly models: readonly string[];
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  /** The names given as `extra_files` when saving. */
  readonly extraFiles: readonly string[];
  /** True when the archive also holds AOTInductor code, which is ignored. */
  readonly hasAotInductor: boolean;
  /** Reads the bytes of an entry. */
  readEntry(name: string): Promise<Uint8Array>;
  readExtraFile(name: string): Promise<string>;
  /**
   * Returns the program of a model; the name may be omitted when there is one model. It is read and parsed once and
   * shared by all callers. The first caller's signal aborts the reading; the next call then starts it again.
   */
  program(model?: string, options?: ReadSignal): Promise<ExportedProgram>;
  /**
   * Returns parameters and persistent buffers, which are known before the program is. They are read once and shared.
   */
  stateDict(model?: string, options?: ReadSignal): Promise<readonly WeightTensor[]>;
  /**
   * Returns parameters, buffers and constants by fully qualified name, read once and shared. `storage.read()` reads
   * bytes.
   */
  weights(model?: string, options?: ReadSignal): Promise<ReadonlyMap<string, WeightTensor>>;
  /** Returns the example call, or undefined where there is none or it cannot be read. */
  sampleInputs(model?: string): Promise<SampleInputs | undefined>;
  close(): Promise<void>;
}
