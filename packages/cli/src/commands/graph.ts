import { extname } from "node:path";
import { type Program, print, toJson } from "@pt2/graph";
import { prepare } from "@pt2/runtime";
import { openProgram, readSchema } from "@pt2/runtime/node";
import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { type DrawOptions, diagramOf } from "../draw/diagram.ts";
import { toDot } from "../draw/dot.ts";
import { depthFor } from "../draw/fold.ts";
import { toMermaid } from "../draw/mermaid.ts";
import { toSvg } from "../draw/svg.ts";
import { CONFIG_OPTION } from "../load-config.ts";
import { MODEL_OPTION, modelChoice } from "../open-model.ts";
import type { Options } from "../options.ts";
import { plural } from "../report/text.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { writeText } from "../terminal/write-text.ts";
import { OPS_OPTION, registryWith, userOps, withCustomOps } from "../user-ops.ts";

/** An output format of `pt2 graph`. */
interface Format {
  readonly draw: (program: Program, options: DrawOptions) => string;
  /** The number of arrows that readers of the format support; undefined where the format is not a picture. */
  readonly arrows?: number;
}

/** The number of boxes that fit on a screen. */
const BOXES = 60;

/** Mermaid rejects more arrows, in Markdown on GitHub too. */
const MERMAID_ARROWS = 500;

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["text", { draw: (program) => print(program) }],
  ["mermaid", { draw: toMermaid, arrows: MERMAID_ARROWS }],
  ["dot", { draw: toDot, arrows: Number.POSITIVE_INFINITY }],
  ["svg", { draw: toSvg, arrows: Number.POSITIVE_INFINITY }],
  ["json", { draw: (program) => toJsonText(toJson(program)) }],
]);

/** `pt2 graph` */
export const graph: Command = {
  name: "graph",
  summary: "the graph as text or as a picture",
  operands: ["FILE"],
  options: [
    {
      name: "format",
      value: "F",
      help: `${[...FORMATS.keys()].join(", ")}; default text, or by the extension of --output`,
    },
    { name: "output", short: "o", value: "FILE", help: "write it to a file" },
    {
      name: "depth",
      value: "N",
      help: `pictures: draw modules N deep as one box each, \`all\` for every node; default: the depth that gives at most ${BOXES} boxes`,
    },
    { name: "weights", help: "draw parameters, buffers and constants as boxes of their own" },
    { name: "prepared", help: "as backends get it, after all passes" },
    OPS_OPTION,
    CONFIG_OPTION,
    MODEL_OPTION,
  ],
  notes: "`text` and `json` can be read back by @pt2/graph: parse() and fromJson().",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const output = options.path("output");
    const { draw, arrows } = formatOf(options, output);
    const exported = await readProgram(options, arrows === undefined);
    const prepared = options.flag("prepared");
    const own = await userOps(options);
    const named = await withCustomOps(exported, own);
    const program = prepared ? await prepare(named, registryWith(own)) : named;
    const depth = arrows === undefined ? undefined : depthOf(options, program, arrows);
    const chosen: DrawOptions = { weights: options.flag("weights"), ...(depth !== undefined && { depth }) };
    if (arrows !== undefined) reportFolding(program, chosen, arrows, terminal);
    const drawn = draw(program, chosen);
    const text = drawn.endsWith("\n") ? drawn : `${drawn}\n`;
    if (output !== undefined) await writeText(output, text, options.file);
    if (output === undefined) terminal.out(text);
    else if (options.flag("json")) terminal.out(toJsonText({ path: output }));
    return 0;
  },
};

/** Text and JSON have the guards of the file, which what reads them back checks; in a picture they would be in the way. */
async function readProgram(options: Options, guarded: boolean): Promise<Program> {
  if (!guarded) return (await readSchema(options.file, modelChoice(options))).program;
  const { program, close } = await openProgram(options.file, modelChoice(options));
  await close();
  return program;
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["mmd", "mermaid"],
  ["gv", "dot"],
  ["txt", "text"],
]);

function formatOf(options: Options, output: string | undefined): Format {
  const named = options.text("format") ?? (output === undefined ? undefined : formatOfFile(output));
  if (options.flag("json") && named !== undefined && named !== "json") {
    throw usageError(`--json writes the format json, not ${named}`, "omit --json, or choose --format json");
  }
  const name = options.flag("json") ? "json" : (named ?? "text");
  const format = FORMATS.get(name);
  if (format === undefined) {
    throw usageError(`There is no format "${name}"`, `choose one of ${[...FORMATS.keys()].join(", ")}`);
  }
  const ignored = ["depth", "weights"].find((option) => options.text(option) !== undefined || options.flag(option));
  if (format.arrows === undefined && ignored !== undefined) {
    const pictures = [...FORMATS].filter(([, { arrows }]) => arrows !== undefined).map(([picture]) => picture);
    throw usageError(`--${ignored} changes pictures, not ${name}`, `choose one with --format: ${pictures.join(", ")}`);
  }
  return format;
}

/** Returns the format that the extension names; undefined where there is no extension. */
function formatOfFile(path: string): string | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === "") return undefined;
  const named = ENDINGS.get(ending) ?? ending;
  if (FORMATS.has(named)) return named;
  const known = [...FORMATS.keys(), ...ENDINGS.keys()].map((each) => `.${each}`).join(", ");
  throw usageError(`No format has the extension .${ending}`, `choose one with --format, or one of ${known}`);
}

/** Returns undefined where every node is drawn. */
function depthOf(options: Options, program: Program, arrows: number): number | undefined {
  if (options.text("depth") === "all") return undefined;
  if (options.text("depth") !== undefined) return options.count("depth", 0);
  return depthFor(program, BOXES, arrows);
}

/** Reports on stderr which modules are folded, and whether the format's limit is exceeded. */
function reportFolding(program: Program, options: DrawOptions, limit: number, terminal: Terminal): void {
  const { boxes, arrows } = diagramOf(program, options);
  const folded = boxes.filter(({ nodes }) => nodes > 1).length;
  const total = plural(program.graph.nodes.length, "node");
  if (folded > 0) {
    const joined = plural(folded, "module is drawn as one box", "modules are drawn as one box each");
    terminal.err(
      `${joined}: ${total} in ${plural(boxes.length, "box", "boxes")}; --depth changes this, --depth all draws every node\n`,
    );
  }
  if (arrows.length > limit) {
    terminal.err(
      `Mermaid draws at most ${limit} arrows, but the graph has ${arrows.length}: choose a smaller --depth, or svg\n`,
    );
  }
}
