import { describe, expect, it } from "vitest";
import { streamText, type TokenDecoder } from "./stream-text.ts";

describe("streamText", () => {
  const bytes: TokenDecoder = { decode: (tokens) => new TextDecoder().decode(Uint8Array.from(tokens)) };
  /** Joins words with spaces, as tokenizers of word pieces do, and leaves out token 0. */
  const words: TokenDecoder = {
    decode: (tokens) => tokens.flatMap((token) => ["", "row", "your", "boat"][token] || []).join(" "),
  };

  it("waits for the last byte of a character", async () => {
    const tokens = new TextEncoder().encode("a€😀é");
    expect(await pieces(streamText(tokens, bytes))).toEqual(["a", "€", "😀", "é"]);
  });

  it("has the spaces that the tokenizer puts between words", async () => {
    expect(await pieces(streamText([1, 1, 2, 3], words))).toEqual(["row", " row", " your", " boat"]);
  });

  it("yields nothing for tokens without text", async () => {
    expect(await pieces(streamText([0, 1, 0, 0, 3, 0], words))).toEqual(["row", " boat"]);
  });

  it("asks for the text of no tokens never, which tokenizers refuse", async () => {
    const strict: TokenDecoder = {
      decode(tokens) {
        if (tokens.length === 0) throw new Error("token_ids must be a non-empty array of integers.");
        return bytes.decode(tokens);
      },
    };
    expect(await pieces(streamText([], strict))).toEqual([]);
    expect(await pieces(streamText([97], strict))).toEqual(["a"]);
  });

  it("yields what is left of a character that never ends", async () => {
    expect(await pieces(streamText([97, 0xe2, 0x82], bytes))).toEqual(["a", "\uFFFD"]);
  });
});

async function pieces(text: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const piece of text) found.push(piece);
  return found;
}
