import type { Value } from "@pt2/runtime";
import type { Command, ExitCode } from "../command.ts";
import { LOAD_OPTIONS, withModel } from "../open-model.ts";
import type { Options } from "../options.ts";
import { type OutputSummary, summarize } from "../report/summary.ts";
import { timeText } from "../report/text.ts";
import { INPUT_OPTIONS, TENSOR_FILES_NOTE } from "../tensors/calls.ts";
import { chosenCalls } from "../tensors/chosen-calls.ts";
import { writeOutputs } from "../tensors/write-outputs.ts";
import { table } from "../terminal/table.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

/** `pt2 run` */
export const run: Command = {
  name: "run",
  summary: "run the program once; without --inputs on the archive's sample inputs",
  operands: ["FILE"],
  options: [
    ...INPUT_OPTIONS,
    { name: "output", short: "o", value: "OUT", help: "write the results to a .safetensors file, by position" },
    ...LOAD_OPTIONS,
  ],
  notes: TENSOR_FILES_NOTE,

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    return await withModel<ExitCode>(options, terminal, async ({ model, loadMs }) => {
      const results: (readonly Value[])[] = [];
      const runMs: number[] = [];
      for (const call of await chosenCalls(options, model)) {
        const begin = performance.now();
        results.push(await model.runFlat(model.leavesOf(call)));
        runMs.push(performance.now() - begin);
      }
      const output = options.path("output");
      if (output !== undefined) await writeOutputs(output, results);
      const calls = await Promise.all(
        results.map((values) => Promise.all(values.map((value, at) => summarize(model.outputs[at]!, value)))),
      );
      const json = { backend: model.backend, loadMs, runMs, calls };
      terminal.out(options.flag("json") ? toJsonText(json) : printCalls(calls, model.backend, loadMs, runMs));
      return 0;
    });
  },
};

function printCalls(
  calls: readonly (readonly OutputSummary[])[],
  backend: string,
  loadMs: number,
  runMs: readonly number[],
): string {
  const header = ["output", "type", "min", "max", "mean", "first elements"];
  const tables = calls.map((outputs, call) => {
    const rows = outputs.map(({ name, type, min, max, mean, head }) => [
      name,
      type,
      ...[min, max, mean].map((number) => number?.toPrecision(4) ?? ""),
      head.join(" "),
    ]);
    const title = calls.length > 1 ? `Call ${call}\n` : "";
    return `${title}${table([header, ...rows], ["left", "left", "right", "right", "right"])}\n`;
  });
  return `${tables.join("")}load ${timeText(loadMs)}, run ${runMs.map(timeText).join(", ")} on ${backend}\n`;
}
