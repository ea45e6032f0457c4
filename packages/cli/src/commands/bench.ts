import type { Command, ExitCode } from "../command.ts";
import { LOAD_OPTIONS, withModel } from "../open-model.ts";
import type { Options } from "../options.ts";
import { bytesText, countText, plural, timeText } from "../report/text.ts";
import { INPUT_OPTIONS } from "../tensors/calls.ts";
import { chosenCalls } from "../tensors/chosen-calls.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** `pt2 bench` */
export const bench: Command = {
  name: "bench",
  summary: "latency percentiles, load time, peak memory",
  operands: ["FILE"],
  options: [
    ...INPUT_OPTIONS,
    { name: "warmup", value: "N", help: "runs before the measured ones; default 3" },
    { name: "runs", value: "N", help: "measured runs; default 20" },
    ...LOAD_OPTIONS,
  ],
  notes: "Runs the first call of --inputs, or the archive's sample inputs, repeatedly.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const warmup = options.count("warmup", 3);
    const runs = options.count("runs", 20, 1);
    return await withModel<ExitCode>(options, terminal, async ({ model, loadMs }) => {
      const [call] = await chosenCalls(options, model);
      const leaves = model.leavesOf(call!);
      const times: number[] = [];
      for (let i = 0; i < warmup + runs; i++) {
        const begin = performance.now();
        const outputs = await model.runFlat(leaves);
        if (i >= warmup) times.push(performance.now() - begin);
        for (const output of outputs) if (typeof output === "object") output?.dispose();
      }
      const report = {
        backend: model.backend,
        warmup,
        runs,
        loadMs,
        latencyMs: percentiles(times),
        memory: await model.memory(),
        // On Linux and macOS the unit is kilobytes.
        peakMemory: process.resourceUsage().maxRSS * 1024,
      };
      terminal.out(options.flag("json") ? toJsonText(report) : printReport(report));
      return 0;
    });
  },
};

interface Percentiles {
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
}

function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  const mean = sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length;
  return { min: at(0), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1), mean };
}

interface BenchReport {
  readonly backend: string;
  readonly warmup: number;
  readonly runs: number;
  readonly loadMs: number;
  readonly latencyMs: Percentiles;
  readonly memory: { readonly weights: number; readonly activations: number; readonly reserved: number };
  readonly peakMemory: number;
}

function printReport({ backend, warmup, runs, loadMs, latencyMs, memory, peakMemory }: BenchReport): string {
  const { min, p50, p90, p99, max, mean } = latencyMs;
  return table([
    ["backend", backend],
    ["load", timeText(loadMs)],
    ["latency", `median ${timeText(p50)}, of ${plural(runs, "run")} after ${warmup}`],
    [
      "",
      `min ${timeText(min)}, p90 ${timeText(p90)}, p99 ${timeText(p99)}, max ${timeText(max)}, mean ${timeText(mean)}`,
    ],
    ["throughput", `${rateText(1000 / mean)} runs/s`],
    ["memory", `weights ${bytesText(memory.weights)}, activations ${bytesText(memory.activations)}`],
    ["", `reserved ${bytesText(memory.reserved)}, peak of the process ${bytesText(peakMemory)}`],
  ]);
}

function rateText(perSecond: number): string {
  return perSecond >= 100 ? countText(Math.round(perSecond)) : perSecond.toPrecision(3);
}
