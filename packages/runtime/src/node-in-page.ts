// Replaces `@pt2/runtime/node` in pages: functions that open files throw an error that names the right import.
import { runtimeError } from "./runtime-errors.ts";

export * from "./index.ts";

function nodeEntry(): Error {
  return runtimeError("runtime.node-entry", {
    what: "@pt2/runtime/node reads files by path, which needs Node; this is a page",
    advice: "Import from @pt2/runtime, and pass load() an address, a File or bytes.",
  });
}

/** Rejects: this entry point needs Node. */
export async function openFile(): Promise<never> {
  throw nodeEntry();
}

/** Rejects: this entry point needs Node. */
export async function load(): Promise<never> {
  throw nodeEntry();
}

/** Rejects: this entry point needs Node. */
export async function readSchema(): Promise<never> {
  throw nodeEntry();
}

/** Throws: this entry point needs Node. */
export function readWeights(): never {
  throw nodeEntry();
}
