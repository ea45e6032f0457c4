// `pnpm bench:generation`: texts of a language model, on the backends and by transformers, in turns: see README.md.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadLanguageModel } from "@pt2/generate";
import { backendsOn } from "./src/open-for.ts";
import { machine, table } from "./src/report.ts";
import { alternateTimes, summarize } from "./src/statistics.ts";
import { SubjectProcess } from "./src/subject-process.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/generation" },
    backend: { type: "string", multiple: true, default: ["wasm", "libtorch"] },
    form: { type: "string", multiple: true, default: ["static", "growing"] },
    threads: { type: "string", default: "1" },
    python: { type: "string" },
  },
});
const { prompt, tokens } = JSON.parse(readFileSync(join(values.models, "text.json"), "utf8")) as {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
};

console.log(`${machine()}\n`);
const rows: (readonly string[])[] = [];
for (const form of values.form) {
  const texts: Record<string, () => Promise<number>> = {};
  /** The milliseconds to the first token of each text. */
  const firsts: Record<string, number[]> = {};
  const opened: (() => Promise<unknown>)[] = [];
  for (const name of values.backend) {
    const backend = await backendsOn(Number(values.threads))[name]!();
    const model = await loadLanguageModel(join(values.models, form), { backend });
    opened.push(
      () => model.dispose(),
      () => backend.dispose(),
    );
    const first: number[] = [];
    firsts[name] = first;
    texts[name] = async () => {
      // Another text in between, so that none is known from the one before.
      for await (const _ of model.generate([0], { maxNewTokens: 1 })) break;
      const began = performance.now();
      const found: number[] = [];
      for await (const token of model.generate(prompt, { maxNewTokens: tokens.length, eosTokenId: [] })) {
        if (found.length === 0) first.push(performance.now() - began);
        found.push(token);
      }
      if (`${found}` !== `${tokens}`) throw new Error(`${form} on ${name}: ${found} instead of ${tokens}`);
      return performance.now() - began;
    };
  }
  if (values.python !== undefined) {
    const script = "../scripts/python/bench_generation.py";
    const command = [values.python, script, resolve(values.models), form, "--threads", values.threads] as const;
    const torch = new SubjectProcess(command);
    await torch.ready;
    texts.transformers = () => torch.run();
    opened.push(async () => torch.close());
  }
  const times = await alternateTimes(texts, { warmupMs: 500, measureMs: 20_000, leastRounds: 7 });
  for (const [name, series] of Object.entries(times)) {
    const { median, spread } = summarize(series);
    const first = firsts[name]?.slice(-series.length);
    const known = first === undefined ? null : summarize(first).median;
    rows.push([
      form,
      name,
      `${median.toFixed(0)} ms ±${Math.round(100 * spread)} %`,
      known === null ? "–" : `${known.toFixed(0)} ms`,
      known === null ? "–" : `${((median - known) / (tokens.length - 1)).toFixed(1)} ms`,
    ]);
  }
  for (const close of opened) await close();
}
console.log(table(["cache", "runs on", `${tokens.length} tokens`, "the first", "each further"], rows));
process.exit(0);
