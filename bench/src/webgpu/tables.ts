import { table } from "../report.ts";
import { geometricMean, plusMinus, type Summary, summarize } from "../statistics.ts";
import { judge, type RowResult } from "./row-result.ts";
import { KERNEL_ROWS, MODEL_ROWS } from "./rows.ts";
import { KINDS, type Kind } from "./subject.ts";

/** The label of each row, by its file's name. */
export const LABELS: Readonly<Record<string, string>> = { ...KERNEL_ROWS, ...MODEL_ROWS };

/** Formats the times of all rows, their ratios to the fastest of the others, and the geometric means of the ratios. */
export function timesTable(results: readonly RowResult[]): string {
  const kinds = timedKinds(results);
  const verdicts = results.map(judge);
  const rows = results.map(({ row, subjects }, i) => {
    const verdict = verdicts[i];
    const times = kinds.map((kind) => {
      const values = subjects[kind]?.times ?? [];
      return values.length === 0 ? "–" : milliseconds(summarize(values));
    });
    const ratios =
      verdict === null || verdict === undefined
        ? ["–", "–", "–", "–"]
        : [
            verdict.best,
            `${verdict.ratio.median.toFixed(2)} ${plusMinus(verdict.ratio)}`,
            verdict.least.toFixed(2),
            verdict.processor.toFixed(2),
          ];
    return [LABELS[row] ?? row, ...times, ...ratios];
  });
  const known = verdicts.flatMap((verdict) => verdict ?? []);
  const means = [
    known.map(({ ratio }) => ratio.median),
    known.map(({ least }) => least),
    known.map(({ processor }) => processor),
  ].map((ratios) => `**${geometricMean(ratios).toFixed(2)}**`);
  rows.push(["geometric mean", ...kinds.map(() => ""), "", ...means]);
  const head = ["row", ...kinds.map((kind) => `${kind} ms`), "best peer", "ratio", "of least", "of processor time"];
  return table(head, rows);
}

/**
 * Formats the seconds from the files to the first result, with shaders compiled, and the error and dispatches of this
 * project.
 */
export function firstTable(results: readonly RowResult[]): string {
  const kinds = timedKinds(results);
  const rows = results.map(({ row, subjects, dispatches }) => [
    LABELS[row] ?? row,
    ...kinds.map((kind) => (subjects[kind] === undefined ? "–" : (subjects[kind].first / 1000).toFixed(2))),
    (subjects.pt2?.error ?? 0).toFixed(3),
    String(dispatches ?? "–"),
  ]);
  return table(["row", ...kinds.map((kind) => `${kind} s`), "error", "dispatches"], rows);
}

/** Lists the runtimes that were not timed because of a wrong result, a line each. */
export function wrongAnswers(results: readonly RowResult[]): readonly string[] {
  return results.flatMap(({ row, subjects }) =>
    KINDS.flatMap((kind) => {
      const error = subjects[kind]?.error ?? 0;
      return error <= 1 ? [] : [`${LABELS[row]}: ${kind} is off by ${error.toFixed(0)} times the tolerance`];
    }),
  );
}

function timedKinds(results: readonly RowResult[]): readonly Kind[] {
  return KINDS.filter((kind) => results.some(({ subjects }) => (subjects[kind]?.times.length ?? 0) > 0));
}

const milliseconds = (summary: Summary): string =>
  `${summary.median.toFixed(summary.median < 10 ? 2 : 1)} ${plusMinus(summary)}`;
