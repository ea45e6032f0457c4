import { fileURLToPath } from "node:url";
import { usageError } from "./cli-errors.ts";

/** Returns the path of a `file://` address; paths and `https://` addresses are returned as they are. */
export function pathOf(text: string): string {
  // One letter is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "https" || scheme === "http") return text;
  const path = scheme === "file" ? pathOfUrl(text) : undefined;
  if (path !== undefined) return path;
  throw usageError(
    `"${text}" is not an address of a file that pt2 can use`,
    "pass a path, a file:// address of this computer, or for a file to read an https:// address",
  );
}

/** Returns undefined for an address of another computer. */
function pathOfUrl(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}
