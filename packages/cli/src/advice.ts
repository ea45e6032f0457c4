import { Pt2Error } from "@pt2/format";
import type { Command } from "./command.ts";
import { OPS_OPTION } from "./user-ops.ts";

/** How libraries name options of `load`, and what they are here, in the order in which they are replaced. */
const LIBRARY_WORDS: readonly (readonly [library: string, here: string])[] = [
  ["give its op set to load() as `ops`", "pass it with --ops"],
  ["as `ops`", "with --ops"],
  ["(`ops`)", "with --ops"],
  ["(`handlers`)", "with --ops too"],
  ["to `load` in an op set", "in an op set with --ops"],
  ["Give load() a handler or an op set", "Pass a handler or an op set with --ops"],
];

/** Returns the problem with advice that fits the command: the options of `pt2` in place of those of `load`. */
export function advisedFor(problem: unknown, { name, options }: Command): unknown {
  if (!(problem instanceof Pt2Error)) return problem;
  const { code, advice } = problem;
  if (code.startsWith("cli.")) {
    return code === "cli.usage" && advice === undefined ? withAdvice(problem, `see \`pt2 ${name} --help\``) : problem;
  }
  if (advice === undefined || !options.includes(OPS_OPTION)) return problem;
  const here = LIBRARY_WORDS.reduce((text, [library, words]) => text.replace(library, words), advice);
  return here === advice ? problem : withAdvice(problem, here);
}

function withAdvice(problem: Pt2Error, advice: string): Pt2Error {
  const { code, what, where, details, cause, stack } = problem;
  const advised = new Pt2Error(code, { what, where, advice, details, cause });
  // PT2_DEBUG=1 prints where the problem arose, not this place.
  return Object.assign(advised, { stack });
}
