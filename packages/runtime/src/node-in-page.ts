// What a page gets in place of `@pt2/runtime/node`: what opens files says what a page imports instead.
import { runtimeError } from "./runtime-errors.ts";

export * from "./index.ts";

function nodeEntry(): Error {
  return runtimeError("runtime.node-entry", {
    what: "@pt2/runtime/node reads files by path, which needs Node; this is a page",
    advice: "Import from @pt2/runtime, and give load() an address, a File or bytes.",
  });
}

/** Rejects: the entry point is Node's. */
export async function openFile(): Promise<never> {
  throw nodeEntry();
}

/** Rejects: the entry point is Node's. */
export async function load(): Promise<never> {
  throw nodeEntry();
}

/** Rejects: the entry point is Node's. */
export async function readSchema(): Promise<never> {
  throw nodeEntry();
}

/** Throws: the entry point is Node's. */
export function readWeights(): never {
  throw nodeEntry();
}
