import { type Program, print, toJson } from "@pt2/graph";
import { toDot, toMermaid, toSvg } from "@pt2/graph/draw";
import { prepare } from "@pt2/runtime";
import { readSchema } from "@pt2/runtime/node";
import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { MODEL_OPTION, modelChoice } from "../open-model.ts";
import type { Options } from "../options.ts";
import { OPS_OPTION, ownOps, registryWith } from "../own-ops.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

interface Choices {
  readonly weights: boolean;
}

const FORMATS: ReadonlyMap<string, (program: Program, choices: Choices) => string> = new Map([
  ["text", (program: Program) => print(program)],
  ["mermaid", toMermaid],
  ["dot", toDot],
  ["svg", toSvg],
  ["json", (program: Program) => toJsonText(toJson(program))],
]);

/** `pt2 graph` */
export const graph: Command = {
  name: "graph",
  summary: "the graph as text or as a picture",
  operands: ["FILE"],
  options: [
    { name: "format", value: "F", help: `${[...FORMATS.keys()].join(", ")}; default text` },
    { name: "weights", help: "draw parameters, buffers and constants as boxes of their own" },
    { name: "prepared", help: "as backends get it, after the passes that precede them" },
    OPS_OPTION,
    MODEL_OPTION,
  ],
  notes: "`text` and `json` can be read back by @pt2/graph: parse() and fromJson().",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const format = options.flag("json") ? "json" : (options.text("format") ?? "text");
    const draw = FORMATS.get(format);
    if (draw === undefined) {
      throw usageError(`There is no format "${format}"`, `choose one of ${[...FORMATS.keys()].join(", ")}`);
    }
    const { program: exported } = await readSchema(options.file, modelChoice(options));
    const prepared = options.flag("prepared");
    const program = prepared ? await prepare(exported, registryWith(await ownOps(options))) : exported;
    const text = draw(program, { weights: options.flag("weights") });
    terminal.out(text.endsWith("\n") ? text : `${text}\n`);
    return 0;
  },
};
