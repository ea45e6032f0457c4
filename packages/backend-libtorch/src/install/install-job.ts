import type { Environment } from "./environment.ts";

/** The progress of an installation. */
export interface InstallProgress {
  /** The stage; `wait`: another process installs the same. */
  readonly stage: "wait" | "download" | "unpack";
  /** The bytes so far. */
  readonly done: number;
  /** The bytes in all; 0 where that is unknown. */
  readonly total: number;
  /** The file that is being downloaded or unpacked. */
  readonly what: string;
}

/** What a way of installing needs to know. */
export interface InstallJob {
  readonly version: string;
  readonly cuda: boolean;
  readonly env: Environment;
  /** An empty folder, in which `torch` is put. */
  readonly folder: string;
  readonly onProgress: (progress: InstallProgress) => void;
}

/** A file that was installed, as its index names it. */
export interface InstalledFile {
  readonly name: string;
  /** The checksum of the file, which was compared. It is null where the index does not have it. */
  readonly sha256: string | null;
}
