import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { load, type Model } from "@pt2/runtime/node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answersOf, logitsOf } from "./classify.ts";
import { drawPixels, sideBySide } from "./draw.ts";
import { type HeldOut, readHeldOut } from "./held-out.ts";
import { readPictures } from "./picture.ts";

const backend = wasm({ worker: false });
let model: Model;
let heldOut: HeldOut;
beforeAll(async () => {
  model = await load(fileURLToPath(new URL("../digits.pt2", import.meta.url)), { backend });
  heldOut = await readHeldOut(fileURLToPath(new URL("../held-out.safetensors", import.meta.url)));
});
afterAll(async () => {
  await model.dispose();
  await backend.dispose();
});

it("the digits model returns PyTorch's scores for all 360 held-out images", async () => {
  const logits = await logitsOf(model, heldOut.pixels);
  const worst = Math.max(...logits.map((value, i) => Math.abs(value - heldOut.logits[i]!)));
  expect(logits).toHaveLength(3600);
  expect(worst).toBeLessThan(1e-4);
});

it("the digits model recognizes more than 98 % of them, and the same ones as PyTorch", async () => {
  const answers = answersOf(await logitsOf(model, heldOut.pixels));
  const right = answers.filter(({ digit }, i) => digit === heldOut.labels[i]).length;
  expect(right / answers.length).toBeGreaterThan(0.98);
  expect(answers.map(({ digit }) => digit)).toEqual(answersOf(heldOut.logits).map(({ digit }) => digit));
});

it("the example reads the twenty PNG files exactly", async () => {
  const pictures = await readPictures(new URL("../images/", import.meta.url));
  expect(pictures).toHaveLength(20);
  const images = Array.from(heldOut.labels, (_, i) => heldOut.pixels.subarray(64 * i, 64 * i + 64));
  for (const { pixels, label } of pictures) {
    const same = images.findIndex((image) => image.every((gray, i) => Math.abs(gray - pixels[i]!) < 1e-6));
    expect(heldOut.labels[same]).toBe(label);
  }
});

it("draw shows two pixels per character, in black and white or in grays", () => {
  const pixels = new Float32Array(64);
  pixels.fill(1, 0, 8);
  const [first, second] = drawPixels(pixels, { color: false });
  expect([first, second]).toEqual(["█".repeat(16), " ".repeat(16)]);
  expect(drawPixels(pixels, { color: true })[0]).toContain("\x1b[38;5;255;48;5;255m▀");
  expect(
    sideBySide(
      [
        ["ab", "c "],
        ["de", "f "],
        ["gh", "i "],
      ],
      2,
    ),
  ).toEqual(["ab  de", "c   f", "", "gh", "i", ""]);
});
