import type { Environment } from "./environment.ts";

/** How far an installation is. */
export interface InstallProgress {
  /** `wait`: another process installs the same. */
  readonly stage: "wait" | "download" | "unpack";
  /** Bytes. */
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
  /** What is being downloaded or unpacked. */
  readonly what: string;
}

/** What a way of installing needs to know. */
export interface InstallJob {
  readonly version: string;
  readonly cuda: boolean;
  readonly env: Environment;
  /** An empty folder; `torch` goes into it. */
  readonly folder: string;
  readonly onProgress: (progress: InstallProgress) => void;
}

/** A file that was installed, as its index names it. */
export interface InstalledFile {
  readonly name: string;
  /** Of the file, checked. Null where the index does not say it. */
  readonly sha256: string | null;
}
