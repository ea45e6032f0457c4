// The page: the network learns with WebGPU, or with WebAssembly where there is none.
import { openProgram } from "@pt2/runtime";
import type { Trainer } from "@pt2/train";
import { Curve } from "./curve.ts";
import { batchesOf, type Digits, readDigits } from "./digits.ts";
import { type Answers, answersOf, BATCH, startLearning } from "./learning.ts";
import { chosenBackend } from "./page-backend.ts";
import { download, element, PauseButton } from "./page-elements.ts";

const STEPS = 400;
const TEST_EVERY = 25;
const SHOWN = 24;
const MODEL = new URL("../../digits/digits.pt2", import.meta.url);
const PICTURES = new URL("../../digits/held-out.safetensors", import.meta.url);

const save = element<HTMLButtonElement>("save");

/** Draws the first pictures that the network is tested on; returns what shows an answer for each. */
function showPictures({ pixels, labels }: Digits): (answers: Answers) => void {
  const list = element("pictures");
  const items = Array.from({ length: SHOWN }, (_, i) => {
    const item = document.createElement("li");
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 8;
    const gray = pixels.subarray(64 * i, 64 * i + 64);
    const image = new ImageData(8, 8);
    for (const [k, value] of gray.entries()) image.data.set([255 * value, 255 * value, 255 * value, 255], 4 * k);
    canvas.getContext("2d")!.putImageData(image, 0, 0);
    const answer = document.createElement("span");
    item.append(canvas, answer);
    list.append(item);
    return { item, answer };
  });
  return ({ digits }) => {
    for (const [i, { item, answer }] of items.entries()) {
      const isRight = digits[i] === labels[i];
      item.className = isRight ? "right" : "wrong";
      answer.textContent = isRight ? `${digits[i]}` : `${digits[i]} ✗`;
    }
  };
}

async function learn(trainer: Trainer, learned: Digits, tested: Digits): Promise<void> {
  const [losses, accuracies] = [new Curve(element("losses")), new Curve(element("accuracies"), 1)];
  const show = showPictures(tested);
  const test = async (): Promise<void> => {
    const answers = await answersOf(trainer, tested);
    show(answers);
    accuracies.add(trainer.step, answers.accuracy);
    element("accuracy").textContent = `${(100 * answers.accuracy).toFixed(1)} %`;
  };
  const pause = new PauseButton(element("pause"));
  save.onclick = async () => download(await trainer.save());
  pause.disabled = save.disabled = false;
  await test();
  for await (const { step, loss } of trainer.fit(batchesOf(learned, BATCH))) {
    losses.add(step, loss);
    element("loss").textContent = loss.toFixed(3);
    element("status").textContent = `Step ${step} of ${STEPS}`;
    if (step % TEST_EVERY === 0) await test();
    if (step === STEPS) break;
    await pause.passed();
  }
  pause.disabled = true;
  element("status").textContent = "Done";
}

try {
  const backend = await chosenBackend();
  element("backend").textContent = backend.name;
  const response = await fetch(PICTURES);
  const { learned, tested } = await readDigits(new Uint8Array(await response.arrayBuffer()));
  const trainer = await startLearning(await openProgram(MODEL), backend);
  await learn(trainer, learned, tested);
} catch (problem) {
  element("status").textContent = problem instanceof Error ? problem.message : String(problem);
  throw problem;
}
