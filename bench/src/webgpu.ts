// `node -C dev --import tsx src/webgpu.ts`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine, table } from "./report.ts";
import { summarize } from "./statistics.ts";
import { adapterLine } from "./webgpu/dawn.ts";
import { judge, measureRow, type RowResult } from "./webgpu/row-result.ts";
import { COUNTED, KERNEL_ROWS, MODEL_ROWS } from "./webgpu/rows.ts";
import { KINDS } from "./webgpu/subject.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("../models", import.meta.url)) },
    only: { type: "string", multiple: true },
    kinds: { type: "string", default: KINDS.join() },
    rounds: { type: "string", default: "30" },
    ms: { type: "string", default: "5000" },
  },
});
const kinds = KINDS.filter((kind) => values.kinds.split(",").includes(kind));
const options = { models: values.models, kinds, ms: Number(values.ms), rounds: Number(values.rounds) };
const labels: Readonly<Record<string, string>> = { ...KERNEL_ROWS, ...MODEL_ROWS };
const wanted = (row: string): boolean =>
  (values.only === undefined || values.only.includes(row)) && existsSync(`${values.models}/${row}.pt2`);

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
const percent = (part: number): string => `±${(part * 100).toFixed(0)} %`;

function timesTable(results: readonly RowResult[]): string {
  const verdicts = results.map(judge);
  const rows = results.map(({ row, subjects }, i) => {
    const verdict = verdicts[i];
    const times = kinds.map((kind) => {
      const subject = subjects[kind];
      if (subject === undefined) return "–";
      if (subject.times.length === 0) return "wrong";
      const { median, spread } = summarize(subject.times);
      return `${median.toFixed(median < 10 ? 2 : 1)} ${percent(spread)}`;
    });
    const ratios = verdict
      ? [
          `${verdict.ratio.median.toFixed(2)} ${percent(verdict.ratio.spread)}`,
          verdict.least.toFixed(2),
          verdict.processor.toFixed(2),
        ]
      : ["–", "–", "–"];
    return [labels[row] ?? row, ...times, verdict?.best ?? "–", ...ratios];
  });
  const known = verdicts.flatMap((verdict) => verdict ?? []);
  const means = [
    known.map(({ ratio }) => ratio.median),
    known.map(({ least }) => least),
    known.map(({ processor }) => processor),
  ].map((ratios) => `**${geometricMean(ratios).toFixed(2)}**`);
  rows.push(["geometric mean", ...kinds.map(() => ""), "", ...means]);
  return table(
    ["row", ...kinds.map((kind) => `${kind} ms`), "best peer", "ratio", "of least", "of processor time"],
    rows,
  );
}

function firstTable(results: readonly RowResult[]): string {
  const rows = results.map(({ row, subjects, dispatches }) => [
    labels[row] ?? row,
    ...kinds.map((kind) => (subjects[kind] === undefined ? "–" : (subjects[kind].first / 1000).toFixed(2))),
    (subjects.pt2?.error ?? 0).toFixed(3),
    String(dispatches ?? "–"),
  ]);
  return table(["row", ...kinds.map((kind) => `${kind} s`), "error", "dispatches"], rows);
}

console.log(`${machine()}\n${await adapterLine()}`);
const results: RowResult[] = [];
for (const row of Object.keys(labels).filter(wanted)) {
  results.push(await measureRow(row, options));
  console.error(`${row}: ${judge(results.at(-1)!)?.ratio.median.toFixed(2)}`);
}
if (results.length > 0)
  console.log(`\n${timesTable(results)}\n\nFrom the files to the first answer:\n\n${firstTable(results)}`);
for (const row of COUNTED.filter(wanted)) {
  const { dispatches } = await measureRow(row, { ...options, ms: 0 });
  console.log(`\n${row}: ${dispatches} dispatches`);
}
process.exit(0);
