// The page: continues a text with a language model, on WebGPU, or WebAssembly where there is none.
import type { GenerateOptions } from "@pt2/generate";
import { type BackendId, hasWebgpu, NAMES } from "./backends.ts";
import { element } from "./element.ts";
import { openWriter, type Writer } from "./open-writer.ts";

const parameters = new URLSearchParams(location.search);
const [prompt, count] = [element<HTMLTextAreaElement>("prompt"), element<HTMLInputElement>("count")];
const temperature = element<HTMLInputElement>("temperature");
const [start, stop] = [element<HTMLButtonElement>("start"), element<HTMLButtonElement>("stop")];
const radios = [...document.querySelectorAll<HTMLInputElement>("[name=backend]")];

let address = parameters.get("model") ?? new URL(".", document.baseURI).href;
let writer: Writer | null = null;
/** Ends what is under way: a load or a text. */
let current = new AbortController();

async function open(): Promise<void> {
  const signal = begin();
  const id = radios.find(({ checked }) => checked)!.value as BackendId;
  say(`Loading on ${NAMES[id]}`);
  const opened = await openWriter(address, id, signal);
  if (signal.aborted) return await opened.dispose();
  const before = writer;
  writer = opened;
  say(`Ready on ${NAMES[id]}`);
  start.disabled = false;
  await before?.dispose();
}

async function write(): Promise<void> {
  if (writer === null) return;
  const signal = begin();
  const options: GenerateOptions = { maxNewTokens: count.valueAsNumber, signal };
  const sampled = { doSample: true, temperature: temperature.valueAsNumber };
  const written = element("written");
  element("given").textContent = prompt.value;
  written.textContent = "";
  for (const id of ["first", "rate", "tokens"]) element(id).textContent = "–";
  say("Writing");
  [start.disabled, stop.disabled] = [true, false];
  const began = performance.now();
  let [first, tokens] = [0, 0];
  const onToken = (): void => {
    tokens++;
    const now = performance.now();
    if (tokens === 1) first = now;
    element("first").textContent = `${(first - began).toFixed(0)} ms`;
    element("tokens").textContent = String(tokens);
    if (tokens > 1) element("rate").textContent = ((1000 * (tokens - 1)) / (now - first)).toFixed(1);
  };
  try {
    const text = writer.continue(
      prompt.value,
      temperature.value === "0" ? options : { ...options, ...sampled },
      onToken,
    );
    for await (const piece of text) written.append(piece);
    say("Done");
  } finally {
    [start.disabled, stop.disabled] = [false, true];
  }
}

function begin(): AbortSignal {
  current.abort();
  current = new AbortController();
  return current.signal;
}

function say(text: string): void {
  element("status").textContent = text;
  element("status").className = "";
}

/** Does what was asked for; says what goes wrong, unless it was ended. */
async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    const { what, advice } = problem as { readonly what?: string; readonly advice?: string };
    element("status").textContent = what === undefined ? String(problem) : `${what}. ${advice ?? ""}`;
    element("status").className = "problem";
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void attempt(write);
});
element("model-form").addEventListener("submit", (event) => {
  event.preventDefault();
  address = element<HTMLInputElement>("model").value;
  void attempt(open);
});
stop.addEventListener("click", () => {
  current.abort();
  say("Stopped");
});
temperature.addEventListener("input", () => {
  const words = temperature.value === "0" ? "0: always the most probable" : temperature.value;
  element("temperature-text").textContent = words;
});
for (const radio of radios) radio.addEventListener("change", () => void attempt(open));

if (await hasWebgpu()) {
  for (const radio of radios) {
    radio.disabled = false;
    radio.checked = radio.value === (parameters.get("backend") ?? "webgpu");
  }
}
await attempt(open);
