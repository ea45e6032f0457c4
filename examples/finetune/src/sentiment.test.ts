import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes } from "@pt2/format";
import { load, openProgram } from "@pt2/runtime/node";
import { TextTokenizer } from "@pt2/search/tokens";
import { beforeAll, describe, expect, it } from "vitest";
import { LEARNED, learned, TESTED, tested } from "./reviews.ts";
import { accuracyOf, batchesOf, praiseIn, startLearning } from "./sentiment.ts";
import { MODEL_FOLDER, makeModel, missingModel } from "./sentiment-model.test-helper.ts";

const file = (name: string): string => fileURLToPath(new URL(name, MODEL_FOLDER));

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

describe.skipIf(missingModel !== "")(`adapters of all-MiniLM-L6-v2${missingModel}`, () => {
  beforeAll(makeModel, 300_000);

  it("learn to tell praise from blame, and what is saved answers the same", async () => {
    const tokenizer = await TextTokenizer.load(MODEL_FOLDER, (file) => readFile(file, "utf8"));
    await using backend = wasm({ worker: false });
    await using trainer = await startLearning(await openProgram(file("classifier.pt2")), backend);
    expect(trainer.parameters).toHaveLength(2 * 12 + 2);
    expect(accuracyOf(await praiseIn(trainer, tested, tokenizer), tested)).toBeLessThan(0.7);
    for await (const { step } of trainer.fit(batchesOf(learned, tokenizer, numbers()))) if (step === 20) break;
    expect(accuracyOf(await praiseIn(trainer, tested, tokenizer), tested)).toBeGreaterThan(0.9);

    const texts = [{ text: "What a lovely day." }, { text: "That was a terrible idea." }];
    const praise = await praiseIn(trainer, texts, tokenizer);
    await using model = await load(fromBytes(await trainer.save()), { backend });
    expect(await praiseIn({ model: async () => model }, texts, tokenizer)).toEqual(praise);
  }, 120_000);
});
