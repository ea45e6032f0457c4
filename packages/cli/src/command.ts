import type { OptionSpec, Options } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** 0: done. 1: the answer is no. 2: bad usage or bad file. 3: a fault of this program. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A command of `pt2`, as data. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Positional arguments, such as `FILE`. */
  readonly operands: readonly string[];
  readonly options: readonly OptionSpec[];
  /** Paragraphs after the options. */
  readonly notes?: string;
  run(options: Options, terminal: Terminal): Promise<ExitCode>;
}
