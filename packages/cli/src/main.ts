#!/usr/bin/env node
import { main, report } from "./cli.ts";
import { notWritten } from "./terminal/not-written.ts";
import type { Terminal } from "./terminal/terminal.ts";

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  // Node evaluates NO_COLOR, FORCE_COLOR and TERM.
  colors: process.stdout.isTTY === true && process.stdout.hasColors(),
  columns: process.stdout.columns,
};

process.stdout.on("error", (problem: NodeJS.ErrnoException) => {
  // A reader such as `head` may close the pipe early; that is not a failure.
  process.exit(problem.code === "EPIPE" ? 0 : report(notWritten("stdout", problem), false, terminal));
});
// Where nothing can be said, the exit code still is the answer.
process.stderr.on("error", () => {});

process.exitCode = await main(process.argv.slice(2), terminal);
