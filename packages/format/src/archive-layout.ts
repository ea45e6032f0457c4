import type { Generation } from "./archive.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";

/** Where an archive keeps things. */
export interface ArchiveLayout {
  readonly generation: Generation;
  readonly root: string;
  readonly models: readonly string[];
  /** Records by their name below the root folder. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly hasAotInductor: boolean;
}

/** Where code that is compiled for one platform lies. */
export const AOTI: RegExp = /^data\/aotinductor\/[^/]+\//;
/** The version of archives that is read. */
export const SUPPORTED_VERSION = "0";
