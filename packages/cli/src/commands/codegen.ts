import type { Program } from "@pt2/graph";
import { aliasBuffers } from "@pt2/graph/functionalize";
import { prepare } from "@pt2/runtime";
import { openProgram } from "@pt2/runtime/node";
import { generateModule } from "../codegen/generate-module.ts";
import type { Command, ExitCode } from "../command.ts";
import { CONFIG_OPTION } from "../load-config.ts";
import { MODEL_OPTION, modelChoice } from "../open-model.ts";
import type { Options } from "../options.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { writeText } from "../terminal/write-text.ts";
import { OPS_OPTION, registryWith, userOps } from "../user-ops.ts";

/** `pt2 codegen` */
export const codegen: Command = {
  name: "codegen",
  summary: "the program as a TypeScript module of eager calls",
  operands: ["FILE"],
  options: [
    { name: "output", short: "o", value: "FILE", help: "write it to a file" },
    OPS_OPTION,
    CONFIG_OPTION,
    MODEL_OPTION,
  ],
  notes:
    "Modules of the original become functions, and repeated ones a loop. With --json the text is one property, `module`.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const program = await readProgram(options.file, modelChoice(options).model);
    const registry = registryWith({ ...(await userOps(options)), handlers: [] });
    // The choice of an overload depends on all that there are.
    await registry.load("all");
    const text = generateModule(await prepare(program, registry), registry);
    const output = options.path("output");
    if (output !== undefined) await writeText(output, text, options.file);
    if (options.flag("json")) terminal.out(toJsonText({ module: text }));
    else if (output === undefined) terminal.out(text);
    return 0;
  },
};

/** Reads a program with its guards. Buffers that share memory are views of one, so that a write to one is seen in the others. */
async function readProgram(path: string, model: string | undefined): Promise<Program> {
  const { program, weights, close } = await openProgram(path, { ...(model !== undefined && { model }) });
  await close();
  return aliasBuffers(program, weights);
}
