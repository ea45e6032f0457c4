import { describe, expect, it } from "vitest";
import { fixturePath, pt2 } from "../fixtures.test-helper.ts";

const RHYME = fixturePath("language/rhyme");

describe("pt2 generate", () => {
  it("continues a text, and says on stderr how long it took", async () => {
    const { code, out, err } = await pt2("generate", RHYME, "Row", "--max-new-tokens", "120");
    expect([code, out]).toEqual([
      0,
      ", row, row your boat\nGently down the stream,\nMerrily, merrily, merrily, merrily,\nLife is but a dream.\n\n",
    ]);
    expect(err).toMatch(/3 tokens read in \S+ \w+, 103 tokens written, \S+ \S+ each\n$/);
  });

  it("takes and prints tokens", async () => {
    const { code, out } = await pt2("generate", RHYME, "82,111, 119", "--tokens", "--max-new-tokens", "4");
    expect([code, out]).toEqual([0, "44,32,114,111\n"]);
  });

  it("prints one JSON document", async () => {
    const { out } = await pt2("generate", RHYME, "Row", "--max-new-tokens", "4", "--json");
    expect(JSON.parse(out)).toEqual({
      prompt: [82, 111, 119],
      tokens: [44, 32, 114, 111],
      text: ", ro",
      end: "length",
      promptMs: expect.any(Number),
      tokenMs: expect.any(Number),
    });
  });

  it("draws the same tokens for the same seed", async () => {
    const settings = ["--do-sample", "--temperature", "4", "--top-k", "0", "--max-new-tokens", "12"];
    const drawn = async (seed: string): Promise<string> =>
      (await pt2("generate", RHYME, "82,111,119", "--tokens", ...settings, "--seed", seed)).out;
    expect(await drawn("5")).toBe(await drawn("5"));
    expect(await drawn("5")).not.toBe(await drawn("6"));
  });

  it.each([
    ["a prompt that is no tokens", ["Row", "--tokens"], /"Row" is no list of tokens/],
    ["an impossible setting", ["1", "--tokens", "--top-p", "3"], /`topP` is 3, but must be a number from 0 to 1/],
  ])("refuses %s", async (_, args, words) => {
    const { code, err } = await pt2("generate", RHYME, ...args);
    expect([code, err]).toEqual([2, expect.stringMatching(words)]);
  });

  it("says how a folder without a tokenizer gets one", async () => {
    const { code, err } = await pt2("generate", fixturePath("language/growing"), "Row");
    expect([code, err]).toEqual([2, expect.stringContaining("tokenizer.save_pretrained(folder)")]);
  });
});
