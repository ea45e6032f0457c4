import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Backend, Executable } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { loadLanguageModel, streamText } from "@pt2/generate";
import { load, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fixturePath } from "../fixture.ts";

const ROW = Array.from(new TextEncoder().encode("Row"));
const LETTERS = { decode: (tokens: readonly number[]) => String.fromCharCode(...tokens) };

let backend: Backend;
beforeAll(async () => {
  backend = await wasm({ worker: false });
});
afterAll(() => backend.dispose());

describe("a text", () => {
  it("ends with the end token, which is that of config.json", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    const text = model.generate(ROW, { maxNewTokens: 120 });
    const tokens: number[] = [];
    let step = await text.next();
    for (; step.done !== true; step = await text.next()) tokens.push(step.value);
    expect([tokens.at(-1), step.value, tokens.length]).toEqual([3, "eos", 103]);
  });

  it("streams", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    let text = "";
    for await (const piece of streamText(model.generate(ROW, { maxNewTokens: 20 }), LETTERS)) text += piece;
    expect(text).toBe(", row, row your boat");
  });

  it("goes on where another one was left, and gives the same tokens", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    const whole = await collected(model.generate(ROW, { maxNewTokens: 30 }));
    for await (const _ of model.generate([...ROW, ...whole.slice(0, 10)])) break;
    const rest = await collected(model.generate([...ROW, ...whole.slice(0, 20)], { maxNewTokens: 10 }));
    expect(rest).toEqual(whole.slice(20));
    await using other = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    const [again, fresh] = [model, other].map((each) => collected(each.generate([82, 10, 76], { maxNewTokens: 9 })));
    expect(await again).toEqual(await fresh);
  });

  it("of a program that keeps its cache is that of its own calls, one token after the other", async () => {
    const file = fixturePath("programs/written_constants.pt2");
    await using model = await loadLanguageModel(file, { backend });
    expect(model.capacity).toBe(8);
    for (const prompt of [[3, 1, 4], [7], [3, 1, 9, 2]]) {
      await using program = await load(file, { backend });
      const text = [...prompt];
      for (let at = 0; at < prompt.length + 3; at++) {
        const [token, place] = [tensor("int64", [1, 1], [text[at]!]), tensor("int64", [1], [at])];
        const logits = Array.from(await (await program.forward(token, place)).read(), Number);
        if (at + 1 === text.length) text.push(logits.indexOf(Math.max(...logits)));
      }
      expect(await collected(model.generate(prompt, { maxNewTokens: 4 }))).toEqual(text.slice(prompt.length));
    }
  });

  it("of one token is a prompt", async () => {
    await using model = await loadLanguageModel(fixturePath("language/growing"), { backend });
    expect(await collected(model.generate([5], { maxNewTokens: 4, eosTokenId: [] }))).toHaveLength(4);
  });

  it("that is aborted throws the reason, and leaves the model usable", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    const stop = new AbortController();
    const tokens: number[] = [];
    const read = async (): Promise<void> => {
      for await (const token of model.generate(ROW, { signal: stop.signal })) {
        tokens.push(token);
        if (tokens.length === 5) stop.abort(new Error("enough"));
      }
    };
    await expect(read()).rejects.toThrow("enough");
    expect(tokens).toHaveLength(5);
    expect((await collected(model.generate(ROW, { maxNewTokens: 5 }))).join()).toBe(tokens.join());
  });

  it("that does not fit is refused before it begins", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend, maxCacheLen: 10 });
    expect(model.capacity).toBe(10);
    expect(await collected(model.generate(ROW, { maxNewTokens: 8 }))).toHaveLength(8);
    await expect(model.generate(ROW, { maxNewTokens: 9 }).next()).rejects.toMatchObject({ code: "generate.length" });
  });

  it.each([
    ["no tokens", []],
    ["a string", "Row"],
    ["fractions", [1.5]],
    ["numbers below 0", [-1]],
  ])("is not generated from %s", async (_, prompt) => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    await expect(model.generate(prompt as number[]).next()).rejects.toMatchObject({ code: "generate.prompt" });
  });

  it("is not generated with a token that the model does not have, and the next one is", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    await expect(model.generate([128]).next()).rejects.toThrow(/index/i);
    expect(await collected(model.generate(ROW, { maxNewTokens: 3 }))).toHaveLength(3);
  });

  it("takes no options that are not there", async () => {
    await using model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    const text = model.generate(ROW, { max_new_tokens: 5 } as object);
    await expect(text.next()).rejects.toThrow("did you mean `maxNewTokens`?");
  });

  it("of a model that was disposed is refused", async () => {
    const model = await loadLanguageModel(fixturePath("language/rhyme"), { backend });
    await model.dispose();
    await expect(model.generate(ROW).next()).rejects.toMatchObject({ code: "generate.disposed" });
  });
});

it("two thousand texts compile no more programs and reserve no more memory than a hundred", async () => {
  const made: Executable[] = [];
  await using own = await wasm({ worker: false });
  const compile = own.compile.bind(own);
  vi.spyOn(own, "compile").mockImplementation(async (request) => {
    const executable = await compile(request);
    made.push(executable);
    return executable;
  });
  const held = async (): Promise<readonly number[]> => {
    const reports = await Promise.all(made.map((executable) => executable.memory()));
    return [made.length, reports.reduce((sum, { reserved }) => sum + reserved, 0)];
  };
  await using model = await loadLanguageModel(fixturePath("language/growing"), { backend: own });
  let early: readonly number[] = [];
  for (let i = 1; i <= 2000; i++) {
    const settings = { maxNewTokens: 4, doSample: i % 2 === 0, repetitionPenalty: i % 3 === 0 ? 1.2 : 1, seed: i };
    for await (const _ of model.generate([5 + (i % 40), 9, 33], settings)) if (i % 5 === 0) break;
    if (i === 100) early = await held();
  }
  expect(early[0]).toBeGreaterThan(2);
  expect(await held()).toEqual(early);
});

describe("a model with an encoder", () => {
  const read = { input_ids: [5, 40, 17, 8, 33, 21] };

  it("says what the encoder reads, and takes a mask of it, or none where all is there", async () => {
    await using model = await loadLanguageModel(fixturePath("language/relative"), { backend });
    expect(model.encoderInputs?.map(({ name }) => name)).toEqual(["input_ids", "attention_mask"]);
    const text = (encoderInputs: Readonly<Record<string, unknown>>) =>
      collected(model.generate([], { encoderInputs, maxNewTokens: 8 }));
    const all = { ...read, attention_mask: tensor("int64", [1, 6], [1, 1, 1, 1, 1, 1]) };
    const some = { ...read, attention_mask: tensor("int64", [1, 6], [1, 1, 1, 0, 0, 0]) };
    expect(await text(read)).toEqual(await text(all));
    expect(await text(read)).not.toEqual(await text(some));
  });

  it("generates several texts at the same time", async () => {
    await using model = await loadLanguageModel(fixturePath("language/forced"), { backend });
    const inputs = [read, { input_ids: [9, 9, 30] }];
    const text = (encoderInputs: object) => collected(model.generate([], { encoderInputs: { ...encoderInputs } }));
    const one = await text(inputs[0]!);
    const other = await text(inputs[1]!);
    expect(one).not.toEqual(other);
    expect(await Promise.all(inputs.map(text))).toEqual([one, other]);
  });

  it.each([
    ["relative", {}, /nothing for it to read.*input_ids, attention_mask/s],
    ["relative", { encoderInputs: {} }, /takes `input_ids`, which is not given/],
    ["relative", { encoderInputs: { ...read, input_idz: [1] } }, /takes no `input_idz`/],
    ["growing", { encoderInputs: read }, /has no encoder/],
  ])("%s refuses %j", async (folder, options, words) => {
    await using model = await loadLanguageModel(fixturePath(`language/${folder}`), { backend });
    await expect(model.generate([5], options).next()).rejects.toMatchObject({
      code: "generate.prompt",
      message: expect.stringMatching(words),
    });
  });

  it("refuses features of another shape before anything runs", async () => {
    await using model = await loadLanguageModel(fixturePath("language/heard"), { backend });
    const features = (frames: number) => ({
      input_features: tensor("float32", [1, 8, frames], Array(8 * frames).fill(1)),
    });
    await expect(model.generate([], { encoderInputs: features(41) }).next()).rejects.toMatchObject({
      code: expect.stringMatching(/^(runtime|graph)\.input-/),
    });
    expect(await collected(model.generate([], { encoderInputs: features(40), maxNewTokens: 3 }))).toHaveLength(3);
  });

  it("is refused without its encoder, with the lines that add it to the export", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pt2-language-"));
    try {
      await cp(fixturePath("language/forced"), folder, { recursive: true });
      const manifest = JSON.parse(readFileSync(join(folder, "export.json"), "utf8"));
      delete manifest.components.encoder;
      await writeFile(join(folder, "export.json"), JSON.stringify(manifest));
      await expect(loadLanguageModel(folder, { backend })).rejects.toMatchObject({
        code: "generate.program",
        message: expect.stringContaining("there is no encoder"),
        advice: expect.stringContaining('exported.components["encoder"] ='),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a load", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-language-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const refused = async (source: string, code: string, words: RegExp): Promise<void> => {
    const loaded = loadLanguageModel(source, { backend });
    await expect(loaded).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
  };

  it("takes a folder by its path, and by its file address", async () => {
    const path = fixturePath("language/growing");
    for (const source of [path, `${path}/`, pathToFileURL(path), pathToFileURL(`${path}/`).href]) {
      await using model = await loadLanguageModel(source, { backend });
      expect(model.capacity).toBeNull();
    }
  });

  it("refuses a site that does not answer, and throws the reason of an abort", async () => {
    await refused(
      "http://127.0.0.1:1/model",
      "generate.folder",
      /export.json cannot be read|config.json cannot be read/,
    );
    const signal = AbortSignal.abort(new Error("not now"));
    await expect(loadLanguageModel("http://127.0.0.1:1/model", { backend, signal })).rejects.toThrow("not now");
  });

  it("refuses a folder without export.json, and one that is none", async () => {
    await refused(join(folder, "nothing"), "generate.folder", /There is no export.json/);
    await refused(fixturePath("programs"), "generate.folder", /There is no export.json/);
  });

  it("refuses a folder of another format or layout", async () => {
    const write = (manifest: unknown): Promise<void> =>
      writeFile(join(folder, "export.json"), JSON.stringify(manifest));
    await write({ schema_version: 1, export_format: "onnx", components: {} });
    await refused(folder, "generate.folder", /format "onnx"/);
    await write({ schema_version: 2, export_format: "dynamo", components: {} });
    await refused(folder, "generate.folder", /version 2/);
    await write({ schema_version: 1, export_format: "dynamo", components: { image_encoder: { file: "image.pt2" } } });
    await refused(folder, "generate.folder", /consists of image_encoder/);
    await write({ schema_version: 1, export_format: "dynamo", components: { model: { file: "../model.pt2" } } });
    await refused(folder, "generate.folder", /consists of no programs/);
    await writeFile(join(folder, "export.json"), "{");
    await refused(folder, "generate.folder", /export.json cannot be read/);
  });

  it("refuses programs that are no language models", async () => {
    await refused(fixturePath("torch-2.13/mlp.pt2"), "generate.program", /takes `x`|no input `input_ids`/);
    await refused(fixturePath("language/growing/decode.pt2"), "generate.program", /takes a cache/);
  });

  it("refuses settings that ask for what is not done, unless others are given", async () => {
    const own = join(folder, "beams");
    await cp(fixturePath("language/rhyme"), own, { recursive: true });
    await writeFile(join(own, "generation_config.json"), JSON.stringify({ num_beams: 4 }));
    await refused(own, "generate.folder", /`num_beams`: 4/);
    await using model = await loadLanguageModel(own, { backend, generationConfig: { maxNewTokens: 2 } });
    expect(await collected(model.generate(ROW))).toHaveLength(2);
  });

  it("refuses a cache for which there is no memory", async () => {
    for (const make of [async () => backend, libtorch]) {
      const made = await make().catch(() => null);
      const load = made && loadLanguageModel(fixturePath("language/rhyme"), { backend: made, maxCacheLen: 1e12 });
      if (load !== null) await expect(load).rejects.toMatchObject({ code: expect.stringMatching(/^\w+\.[\w-]+$/) });
      if (made !== backend) await made?.dispose();
    }
  });

  it("closes what it opened when it fails", async () => {
    const own = join(folder, "torn");
    await cp(fixturePath("language/growing"), own, { recursive: true });
    await writeFile(join(own, "prefill.pt2"), "torn");
    for (let i = 0; i < 5; i++) await expect(loadLanguageModel(own, { backend })).rejects.toThrow();
    expect(openFiles().filter((file) => file.startsWith(own))).toEqual([]);
  });
});

/** The files that this process has open; none where the system does not tell. */
function openFiles(): readonly string[] {
  const folder = "/proc/self/fd";
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
}

async function collected(text: AsyncIterable<number>): Promise<readonly number[]> {
  const tokens: number[] = [];
  for await (const token of text) tokens.push(token);
  return tokens;
}
