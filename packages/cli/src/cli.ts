import { Pt2Error } from "@pt2/format";
import { closestName } from "@pt2/format/options";
import { advisedFor } from "./advice.ts";
import { cliError, usageError } from "./cli-errors.ts";
import type { Command, ExitCode } from "./command.ts";
import { COMMANDS } from "./commands/command-list.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { CONFIG_OPTION, loadConfig } from "./load-config.ts";
import { parseOptions } from "./options.ts";
import { painter } from "./terminal/paint.ts";
import { type Terminal, toJsonText } from "./terminal/terminal.ts";
import { wrapText } from "./terminal/wrap-text.ts";
import { versions } from "./versions.ts";

/** Runs one command line (without the program's name) and returns its exit code. Never throws. */
export async function main(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await dispatch(args, terminal);
  } catch (problem) {
    return report(problem, args.includes("--json"), terminal);
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined) {
    terminal.err(wrapText(await helpText(), terminal.columns));
    return 2;
  }
  if (HELP.has(name)) {
    const about = rest.find((word) => !word.startsWith("-"));
    const text = about === undefined ? await helpText() : helpOf(await commandNamed(about));
    terminal.out(wrapText(text, terminal.columns));
    return 0;
  }
  if (VERSION.has(name)) {
    const packages = versions();
    const { "@pt2/cli": version } = packages;
    const lines = Object.entries(packages).map((pair) => pair.join(" "));
    const json = { version, node: process.version, packages };
    terminal.out(rest.includes("--json") ? toJsonText(json) : `${lines.join("\n")}\n`);
    return 0;
  }
  const command = await commandNamed(name);
  try {
    return await runCommand(command, rest, terminal);
  } catch (problem) {
    throw advisedFor(problem, command);
  }
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const options = parseOptions(command, args);
  if (options.flag("help")) {
    terminal.out(wrapText(helpOf(command), terminal.columns));
    return 0;
  }
  const usesConfig = command.options.includes(CONFIG_OPTION);
  const ready = usesConfig ? options.withConfig(await loadConfig(options.text("config"))) : options;
  return await command.run(ready, terminal);
}

const HELP: ReadonlySet<string> = new Set(["help", "--help", "-h"]);
const VERSION: ReadonlySet<string> = new Set(["version", "--version", "-V"]);

async function helpText(): Promise<string> {
  return helpOfAll(await Promise.all([...COMMANDS.values()].map((command) => command())));
}

async function commandNamed(name: string): Promise<Command> {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command();
  const meant = closestName(name, COMMANDS.keys());
  throw usageError(
    `There is no command "${name}"${meant === undefined ? "" : `; did you mean \`pt2 ${meant}\`?`}`,
    `the commands are ${[...COMMANDS.keys()].join(", ")}; see \`pt2 --help\``,
  );
}

/** Prints an error and returns the exit code that stands for it. */
export function report(problem: unknown, json: boolean, terminal: Terminal): ExitCode {
  const known = problem instanceof Pt2Error ? problem : internalError(problem);
  const { code, what, where, advice } = known;
  const paint = painter({ colors: terminal.colors === true && terminal.interactive });
  terminal.err(`${paint("red", "pt2:")} ${known.message}\n  ${paint("dim", `code: ${code}`)}\n`);
  if (process.env.PT2_DEBUG) terminal.err(`${(problem as Error)?.stack ?? problem}\n`);
  if (json) terminal.out(toJsonText({ error: { code, what, where, advice } }));
  return exitCodeOf(code);
}

function internalError(cause: unknown): Pt2Error {
  return cliError("cli.internal", {
    what: `A bug of this program: ${cause instanceof Error ? cause.message : cause}`,
    advice: "run it again with PT2_DEBUG=1 and report the output",
    cause,
  });
}

/**
 * Unsupported ops are a negative answer; files, inputs and command lines are the user's errors; others are bugs of this
 * program.
 */
function exitCodeOf(code: string): ExitCode {
  if (code === "runtime.unsupported-ops" || code === "runtime.handlers") return 1;
  return code.endsWith(".internal") ? 3 : 2;
}
