// The digits network learns from random weights, without Python: `pnpm start` in this folder.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { openProgram } from "@pt2/runtime/node";
import { batchesOf, readDigits } from "./digits.ts";
import { answersOf, BATCH, startLearning } from "./learning.ts";

const STEPS = 300;
const here = (name: string): string => fileURLToPath(new URL(`../../digits/${name}`, import.meta.url));

const { learned, tested } = await readDigits(await readFile(here("held-out.safetensors")));
await using backend = wasm();
await using trainer = await startLearning(await openProgram(here("digits.pt2")), backend);
console.log(`learning from ${learned.labels.length} pictures, tested on ${tested.labels.length} others`);

const report = async (loss: number | null): Promise<void> => {
  const { accuracy } = await answersOf(trainer, tested);
  const bar = "█".repeat(Math.round(accuracy * 40)).padEnd(40, "░");
  const lost = loss === null ? "" : `  loss ${loss.toFixed(3)}`;
  console.log(`step ${String(trainer.step).padStart(3)}  ${bar}  ${(100 * accuracy).toFixed(1).padStart(5)} %${lost}`);
};

await report(null);
const started = performance.now();
for await (const { step, loss } of trainer.fit(batchesOf(learned, BATCH))) {
  if (step % 50 === 0) await report(loss);
  if (step === STEPS) break;
}
console.log(`${STEPS} steps of ${BATCH} pictures in ${((performance.now() - started) / 1000).toFixed(1)} s`);
const output = process.argv[2];
if (output !== undefined) {
  await writeFile(output, await trainer.save());
  console.log(`written to ${output}: torch.export.load opens it`);
}
