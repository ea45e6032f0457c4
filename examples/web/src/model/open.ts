import type { Archive, ByteSource } from "@pt2/format";
import type { Picked } from "./pick.ts";

/** A file that is open. Weights are read when a model of it is loaded. */
export interface OpenFile {
  readonly name: string;
  /** Read in parts, again and again: by ranges, if it is far away. */
  readonly source: ByteSource;
  readonly archive: Archive;
}

/** Opens what the user picked, and reads the directory of the archive. */
export async function openPicked(picked: Picked, signal: AbortSignal): Promise<OpenFile> {
  const { fromBlob, fromUrl, openArchive } = await import("@pt2/format");
  if (typeof picked !== "string") {
    const source = fromBlob(picked);
    return { name: nameOf(picked), source, archive: await openArchive(source, { signal }) };
  }
  if (!URL.canParse(picked, location.href)) throw new Error("This is not an address of a file.");
  const source = await fromUrl(new URL(picked, location.href), { signal });
  return { name: nameOf(picked), source, archive: await openArchive(source, { signal }) };
}

/** What a file is called, wherever it is. */
export function nameOf(picked: Picked): string {
  if (typeof picked !== "string") return picked.name;
  if (!URL.canParse(picked, location.href)) return picked;
  const { pathname, host } = new URL(picked, location.href);
  const [last = ""] = pathname.split("/").slice(-1);
  try {
    return decodeURIComponent(last) || host;
  } catch {
    return last;
  }
}

/** What a page may not do, where that can be the reason of a failure. */
export function hintFor(picked: Picked): string | undefined {
  if (typeof picked !== "string" || !URL.canParse(picked, location.href)) return undefined;
  const { protocol, origin } = new URL(picked, location.href);
  if (protocol === "file:")
    return "A page may not read files by their address. Choose the file, or drop it on the page.";
  if (origin === location.origin) return undefined;
  return "The file is on another server. That server must allow this page to read it (Access-Control-Allow-Origin), also in parts (Range). Or download it and open it from disk.";
}
