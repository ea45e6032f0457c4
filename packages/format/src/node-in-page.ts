import { formatError } from "./format-errors.ts";

/** What a page gets in place of `fromFile` of `@pt2/format/node`: it rejects, and says what a page uses instead. */
export async function fromFile(): Promise<never> {
  throw formatError("format.node-entry", {
    what: "@pt2/format/node reads files by path, which needs Node; this is a page",
    advice: "Import fromBlob, fromBytes or fromUrl of @pt2/format.",
  });
}
