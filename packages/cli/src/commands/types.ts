import { basename } from "node:path";
import { readSchema } from "@pt2/runtime/node";
import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { declareModel } from "../declare/declare-model.ts";
import { MODEL_OPTION, modelChoice } from "../open-model.ts";
import type { Options } from "../options.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { writeText } from "../terminal/write-text.ts";

/** Names that the file imports or that TypeScript does not let a type have. */
const TAKEN: ReadonlySet<string> = new Set([
  "ModelTypes",
  "TensorInput",
  "TensorOutput",
  "Pick",
  "Record",
  "ReadonlyMap",
]);

/** `pt2 types` */
export const types: Command = {
  name: "types",
  summary: "a .d.ts of the model's inputs and outputs, for load<Name>(…)",
  operands: ["FILE"],
  options: [
    { name: "output", short: "o", value: "FILE", help: "write it to a file" },
    { name: "name", value: "NAME", help: "the name of the interface; default: from the name of FILE" },
    MODEL_OPTION,
  ],
  notes: "With --json the text is one property, `declaration`.",

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const name = options.text("name") ?? nameFor(options.file);
    if (!/^[A-Z][A-Za-z0-9_]*$/.test(name) || TAKEN.has(name)) {
      throw usageError(
        `--name takes the name of an interface, not "${name}"`,
        "use ASCII letters and digits, the first one upper-case: --name DigitsModel",
      );
    }
    const { program } = await readSchema(options.file, modelChoice(options));
    const declaration = declareModel(program, name);
    const output = options.path("output");
    if (output !== undefined) await writeText(output, declaration, options.file);
    if (options.flag("json")) terminal.out(toJsonText({ name, declaration }));
    else if (output === undefined) terminal.out(declaration);
    return 0;
  },
};

/** Makes `DigitsModel` of `models/digits.pt2`. */
function nameFor(file: string): string {
  const words = basename(file.replace(/[?#].*$/, ""))
    .replace(/\.[^.]*$/, "")
    .split(/[^A-Za-z0-9]+/);
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const safe = /^[A-Z]/.test(pascal) ? pascal : `Model${pascal}`;
  return /Model/.test(safe) ? safe : `${safe}Model`;
}
