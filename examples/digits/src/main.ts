// A network trained in PyTorch reads handwritten digits, without Python: `pnpm demo`.
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { wasm } from "@pt2/backend-wasm/node";
import { load } from "@pt2/runtime/node";
import { answersOf, logitsOf } from "./classify.ts";
import { DRAWN_WIDTH, drawPixels, sideBySide } from "./draw.ts";
import { readHeldOut } from "./held-out.ts";
import { readPictures } from "./picture.ts";

const here = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const color = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const backend = wasm();
const started = performance.now();
const model = await load(here("digits.pt2"), { backend });
const loaded = performance.now();

const pictures = await readPictures(new URL("../images/", import.meta.url));
const pixels = Float32Array.from(pictures.flatMap((picture) => [...picture.pixels]));
const answers = answersOf(await logitsOf(model, pixels));
const answered = performance.now();

const blocks = pictures.map((picture, i) => {
  const { digit, probability } = answers[i]!;
  const right = digit === picture.label;
  const caption = `${digit}  ${(100 * probability).toFixed(1)} %${right ? "" : `  is a ${picture.label}`}`;
  const padded = caption.padEnd(DRAWN_WIDTH);
  const shown = color
    ? styleText(right ? "green" : "red", padded)
    : right
      ? padded
      : `${caption} ✗`.padEnd(DRAWN_WIDTH);
  return [...drawPixels(picture.pixels, { color }), shown];
});
console.log(sideBySide(blocks, 5).join("\n"));

const heldOut = await readHeldOut(here("held-out.safetensors"));
const all = answersOf(await logitsOf(model, heldOut.pixels));
const right = all.filter(({ digit }, i) => digit === heldOut.labels[i]).length;
const milliseconds = (from: number, to: number): string => `${(to - from).toFixed(0)} ms`;
console.log(
  `loaded in ${milliseconds(started, loaded)}, ${pictures.length} pictures read and recognized in ${milliseconds(loaded, answered)}`,
);
console.log(`${right} of ${all.length} held-out images are right: ${((100 * right) / all.length).toFixed(1)} %`);

await model.dispose();
await backend.dispose();
