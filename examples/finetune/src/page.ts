// The page: the network learns with WebGPU, or with WebAssembly where there is none.
import type { Backend } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { openProgram } from "@pt2/runtime";
import type { Trainer } from "@pt2/train";
import { Curve } from "./curve.ts";
import { batchesOf, type Digits, readDigits } from "./digits.ts";
import { type Answers, answersOf, BATCH, startLearning } from "./learning.ts";

const STEPS = 400;
const TEST_EVERY = 25;
const SHOWN = 24;
const MODEL = new URL("../../digits/digits.pt2", import.meta.url);
const PICTURES = new URL("../../digits/held-out.safetensors", import.meta.url);

function element<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

const [pause, save] = [element<HTMLButtonElement>("pause"), element<HTMLButtonElement>("save")];

async function chosenBackend(): Promise<Backend> {
  const asked = new URLSearchParams(location.search).get("backend");
  if (asked !== "wasm") {
    try {
      return await webgpu();
    } catch (problem) {
      console.info("without WebGPU:", problem instanceof Error ? problem.message : problem);
    }
  }
  return await wasm();
}

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

function download(bytes: Uint8Array): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes.slice()]));
  link.download = "trained.pt2";
  link.click();
  URL.revokeObjectURL(link.href);
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
  let resume: (() => void) | null = null;
  let isPaused = false;
  pause.onclick = () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "Resume" : "Pause";
    if (!isPaused) resume?.();
  };
  save.onclick = async () => download(await trainer.save());
  pause.disabled = save.disabled = false;
  await test();
  for await (const { step, loss } of trainer.fit(batchesOf(learned, BATCH))) {
    losses.add(step, loss);
    element("loss").textContent = loss.toFixed(3);
    element("status").textContent = `Step ${step} of ${STEPS}`;
    if (step % TEST_EVERY === 0) await test();
    if (step === STEPS) break;
    if (isPaused) await new Promise<void>((done) => (resume = done));
    // The page stays responsive where the backend computes on this thread.
    await new Promise((done) => setTimeout(done));
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
