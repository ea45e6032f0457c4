import type { Generation } from "./archive.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";

/** Describes where an archive keeps its entries. */
export interface ArchiveLayout {
  readonly generation: Generation;
  readonly root: string;
  readonly models: readonly string[];
  /** Maps names below the root folder to entries. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly hasAotInductor: boolean;
}

/** Matches entries with code that AOTInductor compiled for one platform. */
export const AOTI: RegExp = /^data\/aotinductor\/[^/]+\//;
/** The only archive version that can be read. */
export const SUPPORTED_VERSION = "0";
