import { expect, it } from "vitest";
import { wrapText } from "./wrap-text.ts";

const HELP = `pt2 ops: whether a backend runs every op
Usage: pt2 ops FILE

  --backend B  libtorch or wasm or webgpu
  --json       JSON

  pt2 ops model.pt2`;

it("lines are broken between words, and go on below their last column", () => {
  expect(wrapText(HELP, 30)).toBe(`pt2 ops: whether a backend
runs every op
Usage: pt2 ops FILE

  --backend B  libtorch or
               wasm or webgpu
  --json       JSON

  pt2 ops model.pt2`);
});

it("a terminal that is narrower than the first column has room for the words", () => {
  expect(wrapText("  --backend B  libtorch or wasm or webgpu", 20)).toBe(`  --backend B
    libtorch or wasm
    or webgpu`);
});

it.each([undefined, 41])("nothing is broken for %s columns", (columns) => expect(wrapText(HELP, columns)).toBe(HELP));

it.each([1, 2, 5])("a word that is wider than %d columns stays whole", (columns) => {
  const words = (text: string): string => text.split(/\s+/).join(" ");
  expect(words(wrapText(HELP, columns))).toBe(words(HELP));
});
