import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readText } from "./workspace.ts";

/** Writes a generated file, by its path from the root. With `--check` it fails where the file is stale; `command` writes it. */
export function writeGenerated(target: string, text: string, command: string): void {
  if (!process.argv.includes("--check")) writeFileSync(join(ROOT, target), text);
  else if (!existsSync(join(ROOT, target)) || readText(target) !== text) {
    console.error(`${target} is stale: run \`${command}\``);
    process.exitCode = 1;
  }
}
