import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { libtorchError } from "./libtorch-errors.ts";

/**
 * Returns the absolute path of a shared library, or of another file that the user named. The system would search its own
 * folders for a name without a folder, and load whatever it finds there.
 */
export function libraryPath(given: unknown, kind = "shared library"): string {
  const path = given instanceof URL && given.protocol === "file:" ? fileURLToPath(given) : given;
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw libtorchError("libtorch.library", {
      what: `The path of a ${kind} is ${typeof path === "string" ? JSON.stringify(path) : typeof path}`,
      advice: "Give the path of a file; of one beside a module, new URL(name, import.meta.url).",
    });
  }
  const absolute = resolve(path);
  if (statSync(absolute, { throwIfNoEntry: false })?.isFile() === true) return absolute;
  throw libtorchError("libtorch.library", {
    what: `There is no ${kind} at ${absolute}`,
    advice: "Check the path. A relative one is taken from the current folder; system folders are not searched.",
    details: { path: absolute },
  });
}
