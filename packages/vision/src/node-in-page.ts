// Replaces `@pt2/vision/node` in pages: functions that open files throw an error that names the right import.
import { visionError } from "./vision-errors.ts";

export * from "./index.ts";

function nodeEntry(): Error {
  return visionError("vision.node-entry", {
    what: "@pt2/vision/node reads files by path, which needs Node; this is a page",
    advice: "Import from @pt2/vision, which takes what a page shows, files and raw pixels.",
  });
}

/** Throws: this entry point needs Node. */
export function detector(): never {
  throw nodeEntry();
}

/** Throws: this entry point needs Node. */
export function classifier(): never {
  throw nodeEntry();
}

/** Rejects: this entry point needs Node. */
export async function loadDetector(): Promise<never> {
  throw nodeEntry();
}

/** Rejects: this entry point needs Node. */
export async function loadClassifier(): Promise<never> {
  throw nodeEntry();
}
