import { parseArgs } from "node:util";
import { closestName } from "@pt2/format/options";
import { usageError } from "./cli-errors.ts";
import type { CommandSyntax, OptionSpec } from "./command-syntax.ts";
import type { Pt2Config } from "./config.ts";
import { pathOf } from "./file-address.ts";

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "json", help: "print one JSON document on stdout and nothing else there" },
  { name: "help", short: "h", help: "print this text" },
];

/** The parsed arguments of one command. */
export class Options {
  readonly operands: readonly string[];
  /** The configuration of the project; empty for commands without `--config`. */
  readonly config: Pt2Config;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(operands: readonly string[], values: Readonly<Record<string, unknown>>, config: Pt2Config = {}) {
    this.operands = operands;
    this.config = config;
    this.#values = values;
  }

  /** Returns the same options with a configuration. */
  withConfig(config: Pt2Config): Options {
    return new Options(this.operands, this.#values, config);
  }

  /** The first operand, which is the file in most commands. */
  get file(): string {
    return pathOf(this.operands[0]!);
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** Returns the path of a file. */
  path(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : pathOf(text);
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value : [];
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw usageError(`--${name} is required`);
    return value;
  }

  /** Returns a number that is not negative. */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === "" || !(value >= 0)) throw usageError(`--${name} takes a number, not "${text}"`);
    return value;
  }

  /** Returns a whole number of either sign; one that a number cannot be exactly is a bigint. */
  integer(name: string): number | bigint | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d+$/.test(text)) throw usageError(`--${name} takes a whole number, not "${text}"`);
    return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  }

  count(name: string, otherwise: number, minimum = 0): number {
    const value = this.number(name) ?? otherwise;
    if (!Number.isSafeInteger(value) || value < minimum) {
      throw usageError(`--${name} takes a whole number of at least ${minimum}, not "${this.text(name)}"`);
    }
    return value;
  }
}

/** Parses the arguments after the command's name. */
export function parseOptions(command: CommandSyntax, args: readonly string[]): Options {
  const specs = [...command.options, ...COMMON_OPTIONS];
  const config = Object.fromEntries(
    specs.map(({ name, short, value, multiple = false }) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, { type, ...(multiple && { multiple }), ...(short !== undefined && { short }) }];
    }),
  );
  const parsed = parse(args, config);
  const { positionals, values } = parsed;
  const missing = command.operands[positionals.length];
  if (values.help !== true && missing !== undefined) throw usageError(`${missing} is missing`);
  const extra = positionals[command.operands.length];
  if (extra !== undefined) throw usageError(`the argument "${extra}" is unexpected`);
  return new Options(positionals, values);
}

type Config = Readonly<
  Record<string, { readonly type: "boolean" | "string"; readonly multiple?: boolean; readonly short?: string }>
>;

function parse(
  args: readonly string[],
  options: Config,
): { readonly positionals: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (problem) {
    const [sentence = ""] = (problem as Error).message.split(". ");
    const unknown = /^Unknown option '--(.*)'$/.exec(sentence)?.[1];
    const meant = unknown === undefined ? undefined : closestName(unknown, Object.keys(options));
    throw usageError(meant === undefined ? sentence : `${sentence}; did you mean --${meant}?`);
  }
}
