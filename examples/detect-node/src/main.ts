// Finds things in a picture: `pnpm --filter @pt2/detect-node start PICTURE -o OUTPUT`.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Pt2Error } from "@pt2/runtime/node";
import { type Arguments, readArguments, USAGE, UsageError } from "./arguments.ts";
import { detect } from "./detect.ts";
import { tableOf } from "./table.ts";

/** Paths are meant from where the user is, which pnpm remembers. */
const fromUser = (path: string): string => resolve(process.env.INIT_CWD ?? ".", path);
const isAddress = (text: string): boolean => /^https?:\/\//.test(text);
const ms = (time: number): string => `${time.toFixed(0)} ms`;

/** Does what the command line asks for. Paths that it cannot write to are refused before anything is computed. */
async function run(asked: Arguments): Promise<void> {
  const output = asked.output === null ? null : fromUser(asked.output);
  if (output !== null && !existsSync(dirname(output))) throw new UsageError(`there is no folder ${dirname(output)}`);
  const model = asked.model === null || isAddress(asked.model) ? asked.model : fromUser(asked.model);
  const { found, times } = await detect({ ...asked, picture: fromUser(asked.picture), output, model });
  console.log(tableOf(found).join("\n"));
  console.log(
    `\n${asked.backend}: loaded in ${ms(times.load)}, found in ${ms(times.first)}, a second time in ${ms(times.next)}`,
  );
  if (asked.output !== null) console.log(`written to ${asked.output}`);
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked === null) console.log(USAGE);
  else await run(asked);
} catch (problem) {
  // What a user can repair is said in a line; anything else is a fault, and shown whole.
  if (problem instanceof UsageError) console.error(`${problem.message}\n\n${USAGE}`);
  else if (problem instanceof Pt2Error) console.error(problem.message);
  else throw problem;
  process.exitCode = 1;
}
