import type { Pt2ErrorParts } from "@pt2/format";
import { backendError } from "../backend-errors.ts";
import { type OptionTypes, typesOf, wrongOptions } from "./wrong-options.ts";

/** Throws `backend.options` for an option that a function, such as `zeros()`, does not have, or an impossible value. */
export function requireOptions(of: string, options: unknown, types: OptionTypes): void {
  const [wrong] = wrongOptions(options, types);
  if (wrong !== undefined) throw backendError("backend.options", optionProblem(of, options, types, wrong));
}

/** Says what is wrong with an option that {@link wrongOptions} has found, and what the options are. */
export function optionProblem(of: string, options: unknown, types: OptionTypes, wrong: string): Pt2ErrorParts {
  const textOf = (value: unknown): string => typesOf(value).at(-1)!;
  const given = wrong
    ? `{ ${wrong}: ${textOf((options as Readonly<Record<string, unknown>>)[wrong])} }`
    : textOf(options);
  const known = Object.entries(types).map(([name, type]) => `${name}: ${type}`);
  return {
    what: `${of} does not take \`${given}\``,
    advice: `Its options are { ${known.join(", ")} }.`,
  };
}
