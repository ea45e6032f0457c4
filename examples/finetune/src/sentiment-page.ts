// The page: adapters of a sentence encoder learn with WebGPU, or with WebAssembly where there is none.
import { fromBytes } from "@pt2/format";
import { openProgram } from "@pt2/runtime";
import { TextTokenizer } from "@pt2/search/tokens";
import type { Trainer } from "@pt2/train";
import { Curve } from "./curve.ts";
import { chosenBackend } from "./page-backend.ts";
import { download, element, PauseButton } from "./page-elements.ts";
import { learned, tested } from "./reviews.ts";
import { accuracyOf, batchesOf, praiseIn, startLearning } from "./sentiment.ts";

const STEPS = 60;
const TEST_EVERY = 10;
/** The table shows each 13th sentence that is tested: of all things, and with different words. */
const SHOWN_EVERY = 13;
// What a script makes is no part of the built page; it lies beside it.
const MODEL = new URL("model/", document.baseURI);
const MAKE_MODEL =
  "The model is not here yet: examples/finetune/README.md tells how it is made from a Python package, once (91 MB).";

const save = element<HTMLButtonElement>("save");
const status = element("status");

/** The bytes of the model, with the progress of their way here. */
async function downloadModel(): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL("classifier.pt2", MODEL));
  if (!response.ok || response.headers.get("Content-Type")?.startsWith("text/html")) throw new Error(MAKE_MODEL);
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const size = Number(response.headers.get("Content-Length"));
  let received = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, stream) {
      received += chunk.length;
      status.textContent = `Loading, ${megabytes(received)} of ${megabytes(size)} MB`;
      stream.enqueue(chunk);
    },
  });
  return await new Response(response.body!.pipeThrough(counted)).bytes();
}

/** A row of the table; returns what shows how sure the model is of praise, as `Before` or `Now`. */
function addRow(text: string, label: 0 | 1 | null): (column: "before" | "now", praise: number) => void {
  const row = element<HTMLTableElement>("sentences").tBodies[0]!.insertRow();
  row.insertCell().textContent = text;
  const cells = { before: row.insertCell(), now: row.insertCell() };
  return (column, praise) => {
    const says = praise > 0.5 ? 1 : 0;
    const sure = Math.max(praise, 1 - praise);
    cells[column].textContent = `${says === 1 ? "praise" : "blame"} ${(100 * sure).toFixed(0)} %`;
    if (label !== null) cells[column].className = says === label ? "right" : "wrong";
  };
}

/** Judges what the user writes, with the model as it is at that moment. */
function answerQuestions(trainer: Trainer, tokenizer: TextTokenizer): void {
  const [text, judge] = [element<HTMLInputElement>("text"), element<HTMLButtonElement>("judge")];
  element<HTMLFormElement>("ask").onsubmit = async (event) => {
    event.preventDefault();
    const asked = text.value;
    judge.disabled = true;
    const [praise] = await praiseIn(trainer, [{ text: asked }], tokenizer);
    addRow(asked, null)("now", praise!);
    judge.disabled = false;
    text.value = "";
  };
  judge.disabled = false;
}

async function learn(trainer: Trainer, tokenizer: TextTokenizer): Promise<void> {
  const [losses, accuracies] = [new Curve(element("losses")), new Curve(element("accuracies"), 1)];
  const rows = tested.map(({ text, label }, i) => (i % SHOWN_EVERY === 0 ? addRow(text, label) : null));
  const test = async (column: "before" | "now"): Promise<void> => {
    const found = await praiseIn(trainer, tested, tokenizer);
    for (const [i, praise] of found.entries()) rows[i]?.(column, praise);
    const accuracy = accuracyOf(found, tested);
    accuracies.add(trainer.step, accuracy);
    element("accuracy").textContent = `${(100 * accuracy).toFixed(1)} %`;
  };
  status.textContent = "Judging before it learns";
  await test("before");
  const pause = new PauseButton(element("pause"));
  save.onclick = async () => download(await trainer.save());
  pause.disabled = save.disabled = false;
  answerQuestions(trainer, tokenizer);
  for await (const { step, loss } of trainer.fit(batchesOf(learned, tokenizer))) {
    losses.add(step, loss);
    element("loss").textContent = loss.toFixed(3);
    status.textContent = `Step ${step} of ${STEPS}`;
    if (step % TEST_EVERY === 0) await test("now");
    if (step === STEPS) break;
    await pause.passed();
  }
  pause.disabled = true;
  status.textContent = "Done";
}

try {
  const backend = await chosenBackend();
  element("backend").textContent = backend.name;
  element("learned").textContent = `${learned.length}`;
  element("tested").textContent = `${tested.length}`;
  const bytes = await downloadModel();
  const tokenizer = await TextTokenizer.load(MODEL, async (file) => (await fetch(file)).text());
  status.textContent = "Preparing";
  await learn(await startLearning(await openProgram(fromBytes(bytes)), backend), tokenizer);
} catch (problem) {
  status.textContent = problem instanceof Error ? problem.message : String(problem);
  throw problem;
}
