import type { ReadOptions } from "./byte-source.ts";
import type { ExportedProgram } from "./program/exported-program.ts";
import type { Pt2Error } from "./pt2-error.ts";
import type { SampleInputs } from "./sample-inputs.ts";
import type { WeightTensor } from "./weight-tensor.ts";

/** Who wrote an archive. */
export type Generation = "flat" | "pickled" | "current";

/** One member of the archive, by its name below the root folder. */
export interface ArchiveEntry {
  readonly name: string;
  /** Bytes after decompression. */
  readonly size: number;
  readonly compressed: boolean;
}

/** How to open an archive. */
export interface ArchiveOptions {
  /** Ends the opening. Later reads take signals of their own. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Compare the CRC-32 of every entry that is read, where the file has one. Damage beyond the structure of a file is not
   * noticed otherwise. @default true for what comes over HTTP, false for what is on this machine
   */
  readonly verifyChecksums?: boolean | undefined;
  /** Told of problems that do not stop a load, such as sample inputs of an unknown Python class. */
  readonly onWarning?: ((problem: Pt2Error) => void) | undefined;
}

/** What ends a read. */
export type ReadSignal = Pick<ReadOptions, "signal">;

/** An open `.pt2` file. Nothing but the directory is read until it is asked for. */
export interface Archive {
  readonly kind: "pt2";
  /** `flat`: torch ≤ 2.7; `pickled`: 2.8; `current`: 2.9 and later. */
  readonly generation: Generation;
  /** Root folder inside the zip, `""` in a flat archive. */
  readonly root: string;
  readonly models: readonly string[];
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  /** Names given as `extra_files` when saving. */
  readonly extraFiles: readonly string[];
  /** The archive also holds AOTInductor code, which is ignored. */
  readonly hasAotInductor: boolean;
  /** The bytes of an entry. */
  readEntry(name: string): Promise<Uint8Array>;
  readExtraFile(name: string): Promise<string>;
  /**
   * The program of a model; the name may be left out when there is one. Read and parsed once, for everybody: the signal
   * of who asks first ends the reading, and who asks then begins it anew.
   */
  program(model?: string, options?: ReadSignal): Promise<ExportedProgram>;
  /** Parameters and persistent buffers, which are known before the program is. Once, too. */
  stateDict(model?: string, options?: ReadSignal): Promise<readonly WeightTensor[]>;
  /** Parameters, buffers and constants by fully qualified name. Bytes are read by `storage.read()`. Once, too. */
  weights(model?: string, options?: ReadSignal): Promise<ReadonlyMap<string, WeightTensor>>;
  /** The example call, or undefined where there is none or it cannot be read. */
  sampleInputs(model?: string): Promise<SampleInputs | undefined>;
  close(): Promise<void>;
}
