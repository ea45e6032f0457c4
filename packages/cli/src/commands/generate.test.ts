import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSafetensors } from "@pt2/format";
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

  it("has the prompt read by an encoder, or a file of what it reads", async () => {
    const { code, out } = await pt2("generate", fixturePath("language/relative"), "5,40,17,8,33,21", "--tokens");
    expect([code, out.split(",").slice(0, 3)]).toEqual([0, ["24", "24", "24"]]);
    const features = join(await mkdtemp(join(tmpdir(), "pt2-generate-")), "features.safetensors");
    const tensors = {
      input_features: { dtype: "float32", shape: [1, 8, 40], bytes: new Uint8Array(4 * 320) },
    } as const;
    await writeSafetensors(new Map(Object.entries(tensors)), (bytes) => appendFile(features, bytes));
    const heard = await pt2("generate", fixturePath("language/heard"), "2,9", "--tokens", "--encoder-inputs", features);
    expect([heard.code, heard.out.split(",").length]).toEqual([0, 20]);
    const nothing = await pt2("generate", fixturePath("language/heard"), "2,9", "--tokens");
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining("takes no `input_ids`")]);
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

  it("reads the model and its tokenizer from a site", async () => {
    const server = createServer((request, response) => {
      const path = join(RHYME, new URL(request.url ?? "", "http://site").pathname);
      if (!existsSync(path)) response.writeHead(404).end();
      else response.end(readFileSync(path));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { code, out } = await pt2("generate", `http://127.0.0.1:${port}`, "Row", "--max-new-tokens", "4");
      expect([code, out]).toEqual([0, ", ro\n"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("says how a folder without a tokenizer gets one", async () => {
    const { code, err } = await pt2("generate", fixturePath("language/growing"), "Row");
    expect([code, err]).toEqual([2, expect.stringContaining("tokenizer.save_pretrained(folder)")]);
  });
});
