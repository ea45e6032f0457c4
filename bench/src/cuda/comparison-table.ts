import { table } from "../report.ts";
import { geometricMean, plusMinus, type Summary } from "../statistics.ts";
import { BATCHES, type Comparison } from "./compare.ts";

/** Ratios of ours, as it is without options, to PyTorch's ways. */
const RATIOS: readonly ((one: Comparison) => number)[] = [
  ({ ours, theirs }) => ours.fast.median / theirs.eager.median,
  ({ ours, theirs }) => ours.fast.median / theirs.compiled.median,
];

const HEAD = ["model", "batch", "exact ms", "fast", "fast, recorded", "eager", "compile"];
const MEASURED = HEAD.length - 2;

/** Formats comparisons as a Markdown table, with the geometric means of the ratios. */
export function comparisonTable(results: readonly Comparison[]): string {
  const rows: (readonly string[])[] = results.map((one) => [
    one.name,
    `${one.batch}`,
    ...times(one),
    ...ratios([one]),
    errors(one),
  ]);
  for (const batch of BATCHES) rows.push(meanRow(`${batch}`, results));
  rows.push(meanRow("all", results));
  return table([...HEAD, "fast / eager", "fast / compile", "error, eager's"], rows);
}

function meanRow(batch: string, results: readonly Comparison[]): readonly string[] {
  const some = results.filter((one) => batch === "all" || `${one.batch}` === batch);
  return ["geometric mean", batch, ...Array<string>(MEASURED).fill(""), ...ratios(some), ""];
}

function times({ ours, theirs }: Comparison): readonly string[] {
  const all: readonly Summary[] = [ours.exact, ours.fast, ours.graphs, theirs.eager, theirs.compiled];
  return all.map((summary) => `${summary.median.toFixed(2)} ${plusMinus(summary)}`);
}

function ratios(some: readonly Comparison[]): readonly string[] {
  return RATIOS.map((ratio) => geometricMean(some.map(ratio)).toFixed(2));
}

function errors({ errors: { ours, eager } }: Comparison): string {
  return `${Math.max(...Object.values(ours)).toExponential(0)}, ${eager.toExponential(0)}`;
}
