import type { Command } from "./command.ts";
import type { OptionSpec } from "./command-syntax.ts";
import { COMMON_OPTIONS } from "./options.ts";
import { table } from "./terminal/table.ts";

/** Returns the text of `pt2 --help`. */
export function helpOfAll(commands: readonly Command[]): string {
  return [
    "pt2: inspect, run and check PyTorch .pt2 programs\n",
    `Usage: pt2 COMMAND FILE [OPTIONS]\n\n`,
    table(commands.map(({ name, operands, summary }) => [[name, ...operands].join(" "), summary])),
    "\nFILE is a path, or a file:// or https:// address. `pt2 help COMMAND` explains a command, `pt2 --version` prints versions.\n",
    "Exit codes: 0 done, 1 the answer is no, 2 bad usage or bad file, 3 a bug of this program.\n",
    "PT2_DEBUG=1 prints the stack of an error.\n",
  ].join("");
}

/** Returns the text of `pt2 COMMAND --help`. */
export function helpOf({ name, operands, summary, options, notes }: Command): string {
  return [
    `pt2 ${name}: ${summary}\n`,
    `Usage: pt2 ${[name, ...operands].join(" ")} [OPTIONS]\n\n`,
    table([...options, ...COMMON_OPTIONS].map((option) => [signatureOf(option), option.help])),
    notes === undefined ? "" : `\n${notes}\n`,
  ].join("");
}

function signatureOf({ name, short, value }: OptionSpec): string {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
