import type { Profile } from "@pt2/runtime";
import type { Command, ExitCode } from "../command.ts";
import { LOAD_OPTIONS, withModel } from "../open-model.ts";
import type { Options } from "../options.ts";
import { plural, timeText } from "../report/text.ts";
import { timesByOp } from "../report/times-by-op.ts";
import { traceOf } from "../report/trace.ts";
import { INPUT_OPTIONS } from "../tensors/calls.ts";
import { chosenCalls } from "../tensors/chosen-calls.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { writeText } from "../terminal/write-text.ts";

const TOP = 15;

/** `pt2 profile` */
export const profile: Command = {
  name: "profile",
  summary: "time per op and per node",
  operands: ["FILE"],
  options: [
    ...INPUT_OPTIONS,
    { name: "trace", value: "OUT.json", help: "write a trace that https://ui.perfetto.dev and chrome://tracing open" },
    { name: "warmup", value: "N", help: "runs before the measured one; default 2" },
    ...LOAD_OPTIONS,
  ],
  notes: "Fused ops are one step with all their names. Measuring slows a run a little.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const warmup = options.count("warmup", 2);
    return await withModel<ExitCode>(options, terminal, async ({ model }) => {
      const [call] = await chosenCalls(options, model);
      for (let i = 0; i < warmup; i++) await model.run(call!);
      const measured = await model.profile(call!);
      const trace = options.path("trace");
      if (trace !== undefined) await writeText(trace, toJsonText(traceOf(measured, model.backend)), options.file);
      const { steps, totalMs } = measured;
      const report = { backend: model.backend, totalMs, ops: timesByOp(steps), steps };
      terminal.out(options.flag("json") ? toJsonText(report) : printProfile(measured));
      return 0;
    });
  },
};

function printProfile({ steps, totalMs }: Profile): string {
  const share = (ms: number): string => `${((100 * ms) / totalMs).toFixed(1)} %`;
  const shorten = (text: string): string => (text.length > 70 ? `${text.slice(0, 69)}…` : text);
  const ops = timesByOp(steps);
  const slowest = steps.toSorted((a, b) => b.ms - a.ms).slice(0, TOP);
  const inSteps = steps.reduce((sum, { ms }) => sum + ms, 0);
  const opRows = ops.slice(0, TOP).map((op) => [timeText(op.ms), share(op.ms), String(op.count), shorten(op.ops)]);
  const nodeRows = slowest.map(({ ms, where }) => [timeText(ms), share(ms), where]);
  return [
    `By op${ops.length > TOP ? `, the slowest ${TOP} of ${ops.length}` : ""}\n`,
    table(opRows, ["right", "right", "right"]),
    `\nBy node${steps.length > TOP ? `, the slowest ${TOP} of ${steps.length}` : ""}\n`,
    table(nodeRows, ["right", "right"]),
    `\n${timeText(totalMs)} in all, ${timeText(inSteps)} of it in ${plural(steps.length, "step")}\n`,
  ].join("");
}
