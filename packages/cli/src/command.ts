import type { CommandSyntax } from "./command-syntax.ts";
import type { Options } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** 0: done. 1: the answer is no. 2: bad usage or bad file. 3: a bug of this program. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A command of `pt2`, as data. */
export interface Command extends CommandSyntax {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs after the options. */
  readonly notes?: string;
  run(options: Options, terminal: Terminal): Promise<ExitCode>;
}
