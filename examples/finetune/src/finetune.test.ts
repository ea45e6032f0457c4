import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes } from "@pt2/format";
import { load, openProgram, type Tensor, tensor } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { batchesOf, readDigits } from "./digits.ts";
import { answersOf, BATCH, startLearning } from "./learning.ts";

const here = (name: string): string => fileURLToPath(new URL(`../../digits/${name}`, import.meta.url));

it("the digits network learns from random weights, and what is saved answers the same", async () => {
  const { learned, tested } = await readDigits(await readFile(here("held-out.safetensors")));
  expect([learned.labels.length, tested.labels.length]).toEqual([288, 72]);
  await using backend = await wasm({ worker: false });
  await using trainer = await startLearning(await openProgram(here("digits.pt2")), backend);
  expect((await answersOf(trainer, tested)).accuracy).toBeLessThan(0.6);
  for await (const { step } of trainer.fit(batchesOf(learned, BATCH))) if (step === 150) break;
  const { digits, accuracy } = await answersOf(trainer, tested);
  expect(accuracy).toBeGreaterThan(0.85);

  await using model = await load(fromBytes(await trainer.save()), { backend });
  const scores = await model.forward<Tensor<"float32">>(tensor("float32", [72, 1, 8, 8], tested.pixels.slice()));
  const data = await scores.read();
  const best = digits.map((_, i) => {
    const row = [...data.subarray(10 * i, 10 * i + 10)];
    return row.indexOf(Math.max(...row));
  });
  expect(best).toEqual(digits);
});
