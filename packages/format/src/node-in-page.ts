import { formatError } from "./format-errors.ts";

/** Replaces `fromFile` of `@pt2/format/node` in pages: it rejects with advice on what a page can use. */
export async function fromFile(): Promise<never> {
  throw formatError("format.node-entry", {
    what: "@pt2/format/node reads files by path, which needs Node; this is a page",
    advice: "Import fromBlob, fromBytes or fromUrl of @pt2/format.",
  });
}
