// The page: finds things in pictures and in front of a camera, with WebGPU, or WebAssembly where there is none.
import type { Found } from "@pt2/vision";
import { type BackendId, missingWebgpu, NAMES } from "./backends.ts";
import { startCamera, stopCamera } from "./camera.ts";
import { element } from "./element.ts";
import { listFound } from "./found-list.ts";
import { FrameRate } from "./frame-rate.ts";
import { Lane } from "./lane.ts";
import { type ModelChoice, modelAt, modelIn, ownModel } from "./model-choice.ts";
import { type OpenDetector, openDetector } from "./open-detector.ts";
import { say, sayProblem, showModel, showTimes } from "./panel.ts";
import { decode, listen, markSample, SAMPLES } from "./sources.ts";
import { drawBoxes, showPicture, showVideo, video } from "./stage.ts";
import { wordsFor } from "./words.ts";

const threshold = element<HTMLInputElement>("threshold");
const cameraButton = element<HTMLButtonElement>("camera");
const radios = [...document.querySelectorAll<HTMLInputElement>("[name=backend]")];

let choice: ModelChoice | null = null;
let backend: BackendId = "wasm";
/** Why it is not WebGPU; empty where it is, or where the user did not want it. */
let reason = "";
let open: OpenDetector | null = null;
let picture: ImageBitmap | null = null;
let stream: MediaStream | null = null;
let answer: Answer | null = null;

const [models, sources, finding] = [new Lane(sayProblem), new Lane(sayProblem), new Lane(sayProblem)];

/** Opens the chosen detector where the user wants it, or on WebAssembly where that fails, and finds things with it. */
async function openModel(next: ModelChoice, signal: AbortSignal): Promise<void> {
  say(`Loading ${next.name} on ${NAMES[backend]}`);
  const opened = await openDetector(next, backend).catch((problem: unknown) => {
    if (backend === "wasm") throw problem;
    useBackend("wasm", `WebGPU cannot: ${wordsFor(problem)}`);
    return openDetector(next, backend);
  });
  if (signal.aborted) return await opened.detector.dispose();
  // What the old one still looks for is of no use.
  await finding.do(async () => open?.detector.dispose());
  choice = next;
  open = opened;
  const { labels, threshold: usual } = opened.detector.preset;
  showModel(next.name, labels);
  threshold.value = String(Math.round(100 * usual));
  await finding.do(find);
}

function useBackend(id: BackendId, why: string): void {
  backend = id;
  reason = why;
  for (const radio of radios) radio.checked = radio.value === id;
}

/** Finds things in what is shown: once in a picture, in frame after frame of the camera. */
async function find(signal: AbortSignal): Promise<void> {
  if (open === null) return;
  const { detector, backend } = open;
  const where = `on ${NAMES[backend]}. ${reason}`;
  // The page has everything, and shows what reaches the slider.
  const options = { threshold: Number(threshold.min) / 100, signal };
  if (stream !== null) {
    say(`Watching, ${where}`);
    const rate = new FrameRate();
    for await (const frame of detector.stream(video, options)) {
      if (signal.aborted) return;
      showTimes(frame.milliseconds, rate.add(performance.now()));
      show(frame);
    }
  } else if (picture !== null) {
    const { width, height } = picture;
    const started = performance.now();
    const found = await detector.detect(picture, options);
    if (signal.aborted) return;
    showTimes(performance.now() - started, null);
    show({ found, width, height });
    say(`Found ${where}`);
  }
}

/** What was found, and in how large a picture. */
interface Answer {
  readonly found: readonly Found[];
  readonly width: number;
  readonly height: number;
}

/** Shows what was found, with the scores that the user wants to see. */
function show(found: Answer): void {
  answer = found;
  const least = Number(threshold.value) / 100;
  element("least").textContent = `${threshold.value} %`;
  const things = found.found.filter(({ score }) => score >= least);
  drawBoxes(found, things);
  listFound(things);
}

/** Shows a picture in the place of what was shown; the camera ends. */
async function take(image: Blob, name: string, sample: number | null, signal: AbortSignal): Promise<void> {
  const bitmap = await decode(image, name);
  if (signal.aborted) return bitmap.close();
  endCamera();
  picture?.close();
  picture = bitmap;
  markSample(sample);
  showPicture(bitmap);
  await finding.do(find);
}

async function takeSample(index: number, signal: AbortSignal): Promise<void> {
  const response = await fetch(SAMPLES[index]!, { signal });
  await take(await response.blob(), `scene ${index + 1}`, index, signal);
}

async function beginCamera(signal: AbortSignal): Promise<void> {
  say("Starting the camera");
  const started = await startCamera(video);
  if (signal.aborted) return stopCamera(video, started);
  stream = started;
  cameraButton.ariaPressed = "true";
  cameraButton.textContent = "Stop the camera";
  markSample(null);
  showVideo();
  await finding.do(find);
}

function endCamera(): void {
  if (stream !== null) stopCamera(video, stream);
  stream = null;
  cameraButton.ariaPressed = "false";
  cameraButton.textContent = "Use the camera";
}

listen({
  sample: (index) => sources.do((signal) => takeSample(index, signal)),
  picture: (file) => sources.do((signal) => take(file, file.name, null, signal)),
  models: (files) => models.do(async (signal) => openModel(await modelIn(files), signal)),
});
cameraButton.onclick = () => sources.do((signal) => (stream === null ? beginCamera(signal) : takeSample(0, signal)));
threshold.oninput = () => answer && show(answer);
for (const radio of radios) {
  radio.onchange = () =>
    models.do(async (signal) => {
      useBackend(radio.value as BackendId, "");
      return openModel(choice ?? (await ownModel()), signal);
    });
}
element<HTMLFormElement>("model-form").onsubmit = (event) => {
  event.preventDefault();
  void models.do(async (signal) => openModel(await modelAt(element<HTMLInputElement>("model-address").value), signal));
};

void sources.do((signal) => takeSample(0, signal));
await models.do(async (signal) => {
  const asked = new URLSearchParams(location.search);
  const missing = await missingWebgpu();
  for (const radio of radios) radio.disabled = radio.value === "webgpu" && missing !== null;
  useBackend(missing === null && asked.get("backend") !== "wasm" ? "webgpu" : "wasm", missing ?? "");
  const address = asked.get("model");
  await openModel(await (address === null ? ownModel() : modelAt(address)), signal);
});
