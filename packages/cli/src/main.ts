#!/usr/bin/env node
import { main } from "./cli.ts";

// A reader such as `head` may close the pipe early; that is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 3));

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  // Node evaluates NO_COLOR, FORCE_COLOR and TERM.
  colors: process.stdout.isTTY === true && process.stdout.hasColors(),
});
