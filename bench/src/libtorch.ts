// `pnpm bench:libtorch`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODELS, TIMM_MODELS } from "./compared-models.ts";
import { KINDS } from "./libtorch/child.ts";
import { type Latency, measureLatency } from "./libtorch/latency.ts";
import { machine, table } from "./report.ts";
import { geometricMean, plusMinus, type Summary } from "./statistics.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("../models", import.meta.url)) },
    only: { type: "string", multiple: true },
    kinds: { type: "string", default: KINDS.join() },
    threads: { type: "string", default: "1,2" },
    rounds: { type: "string", default: "30" },
    python: { type: "string", default: "python3" },
  },
});
const { models, only, python, rounds } = values;
const kinds = KINDS.filter((kind) => values.kinds.split(",").includes(kind));

const cell = (summary: Summary | undefined, digits: number, unit = ""): string =>
  summary === undefined ? "–" : `${summary.median.toFixed(digits)}${unit} ${plusMinus(summary)}`;

function report(results: readonly Latency[]): string {
  const others = kinds.filter((kind) => kind !== "fast");
  const rows = results.map(({ name, ms, ratios, ready }) => [
    name,
    ...kinds.map((kind) => cell(ms[kind], 1)),
    ...others.map((kind) => cell(ratios[kind], 2)),
    (ready.fast?.error ?? 0).toFixed(3),
  ]);
  const means = others.map(
    (kind) => `**${geometricMean(results.flatMap(({ ratios }) => ratios[kind]?.median ?? [])).toFixed(2)}**`,
  );
  rows.push(["geometric mean", ...kinds.map(() => ""), ...means, ""]);
  return table(
    ["model", ...kinds.map((kind) => `${kind} ms`), ...others.map((kind) => `fast / ${kind}`), "error"],
    rows,
  );
}

/**
 * Reports the seconds from the start of the load to the first result, without imports: one load each, of files just
 * read.
 */
function coldReport(results: readonly Latency[]): string {
  const rows = results.flatMap(({ name, ready: { fast, exported } }) => {
    if (fast === undefined || exported === undefined) return [];
    return [[name, fast.first.toFixed(2), exported.first.toFixed(2), (fast.first / exported.first).toFixed(2)]];
  });
  return table(["model", "fast s", "torch.export.load and first call s", "ratio"], rows);
}

console.log(machine());
for (const threads of values.threads.split(",").map(Number)) {
  const results: Latency[] = [];
  for (const name of only ?? [...MODELS, ...TIMM_MODELS]) {
    if (!existsSync(`${models}/${name}.pt2`)) continue;
    results.push(await measureLatency({ models, name, threads, python, kinds, rounds: Number(rounds) }));
    console.error(`${name}, ${threads} threads: done`);
  }
  console.log(`\n${threads} thread${threads === 1 ? "" : "s"}:\n\n${report(results)}`);
  if (results.some(({ ready }) => ready.exported !== undefined)) console.log(`\n${coldReport(results)}`);
}
process.exit(0);
