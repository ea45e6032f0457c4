import { prepare } from "@pt2/runtime";
import { readSchema } from "@pt2/runtime/node";
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
    const { program } = await readSchema(options.file, modelChoice(options));
    const registry = registryWith({ ...(await userOps(options)), handlers: [] });
    const text = generateModule(await prepare(program, registry), registry);
    const output = options.text("output");
    if (output !== undefined) await writeText(output, text);
    if (options.flag("json")) terminal.out(toJsonText({ module: text }));
    else if (output === undefined) terminal.out(text);
    return 0;
  },
};
