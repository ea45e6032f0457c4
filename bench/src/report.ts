import { cpus, totalmem } from "node:os";
import type { ColdLoad } from "./cold-load.ts";
import type { ModelResult } from "./models.ts";
import { geometricMean, plusMinus, type Summary } from "./statistics.ts";

/** Describes the machine in a line. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpu?.model.trim()}, ${cpus().length} cores, ${memory} GiB, ${process.platform}, Node ${process.version}`;
}

/** Formats latencies as a Markdown table, and the geometric mean of the ratios; `rate` is `productRate()`. */
export function modelTable(results: readonly ModelResult[], threads: number, rate: number): string {
  const rows = results.map(({ name, ours, theirs, ratio, gflop, errors }) => [
    name,
    milliseconds(ours),
    milliseconds(theirs),
    `${ratio.median.toFixed(2)} ${plusMinus(ratio)}`,
    gflop.toFixed(2),
    ((gflop / ours.median) * 1000).toFixed(0),
    ((gflop / rate / threads) * 1000).toFixed(1),
    `${errors.ours.toFixed(3)} / ${errors.theirs.toFixed(3)}`,
  ]);
  const model = `model, ${threads} thread${threads === 1 ? "" : "s"}`;
  const head = [model, "@pt2/backend-wasm", "onnxruntime-web", "ratio", "GFLOP", "GFLOP/s", "limit ms", "error"];
  const mean = geometricMean(results.map(({ ratio }) => ratio.median));
  const product = `the packed matrix product reaches ${rate.toFixed(0)} GFLOP/s on one thread`;
  return `${table(head, rows)}\n\nGeometric mean of the ratios: ${mean.toFixed(3)}; ${product}.`;
}

/** Formats cold loads as Markdown tables. */
export function coldLoadTable({ ours, python, inspect, pythonImport, built, bytes }: ColdLoad): string {
  const megabytes = (count: number): string => `${(count / 1e6).toFixed(0)} MB`;
  const row = (name: string, mine: Summary, other: Summary): readonly string[] => [
    name,
    seconds(mine),
    seconds(other),
    (mine.median / other.median).toFixed(3),
  ];
  const peaks = [ours.peakBytes, python.peakBytes].map((peak) => `${megabytes(peak)}, ${(peak / bytes).toFixed(2)}×`);
  return [
    `A file of ${megabytes(bytes)}; ${built ? "built packages" : "sources through a loader"}.\n`,
    table(
      ["", "ours", "Python", "ratio"],
      [
        row("load", ours.load, python.load),
        row("load and first answer", ours.firstAnswer, python.firstAnswer),
        row("whole process: load and first answer", ours.process, python.process),
        row("whole process: pt2 inspect / import and load", inspect, python.process),
        row("whole process: pt2 inspect / import torch alone", inspect, pythonImport),
        ["peak memory when loaded", ...peaks, (ours.peakBytes / python.peakBytes).toFixed(3)],
      ],
    ),
  ].join("\n");
}

/** Formats a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const milliseconds = (summary: Summary): string => `${summary.median.toFixed(1)} ms ${plusMinus(summary)}`;
const seconds = (summary: Summary): string => `${summary.median.toFixed(3)} s ${plusMinus(summary)}`;
