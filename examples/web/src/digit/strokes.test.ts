import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { load, type Model, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drawn } from "./samples.test-helper.ts";
import { SIDE, type Stroke, toPixels } from "./strokes.ts";

const backend = wasm({ worker: false });
let model: Model;
beforeAll(async () => {
  model = await load(fileURLToPath(new URL("../../../digits/digits.pt2", import.meta.url)), { backend });
});
afterAll(async () => {
  await model.dispose();
  await backend.dispose();
});

async function answer(strokes: readonly Stroke[]): Promise<number> {
  const logits = await model.forward(tensor("float32", [1, 1, SIDE, SIDE], toPixels(strokes)));
  const scores = Array.from(await logits.read(), Number);
  return scores.indexOf(Math.max(...scores));
}

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

it.each(DIGITS)("a drawn %i is recognized", async (digit) => {
  expect(await answer(drawn(digit))).toBe(digit);
});

it("the size and position of a drawing do not change the result", () => {
  const small = drawn(5).map((stroke) => stroke.map(({ x, y }) => ({ x: 0.6 + x / 4, y: y / 4 })));
  const [large, moved] = [toPixels(drawn(5)), toPixels(small)];
  large.forEach((gray, i) => {
    expect(moved[i]).toBeCloseTo(gray, 5);
  });
});

it("an empty pad is black, and a dot stays a dot", () => {
  expect(toPixels([]).every((gray) => gray === 0)).toBe(true);
  const dot = toPixels([[{ x: 0.1, y: 0.9 }]]);
  const ink = dot.reduce((sum, gray) => sum + gray, 0);
  expect(ink).toBeGreaterThan(0.5);
  expect(ink).toBeLessThan(2);
});
