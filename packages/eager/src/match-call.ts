import { closestName } from "@pt2/format/options";
import { type OpSchema, printType } from "@pt2/registry";
import { fits, withoutNegativeZero } from "./fits.ts";
import { describeGiven } from "./given.ts";

/** The arguments of a call as they were given. */
export interface GivenCall {
  readonly positional: readonly unknown[];
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** The arguments by their names in the schema, or what is wrong with them. */
export type Match = { readonly args: Readonly<Record<string, unknown>> } | { readonly problem: string };

/**
 * Matches a call with a schema. `undefined` stands for an argument that was left out; as in `torch.add(input=x)`, the
 * first argument may be called `input` where the schema calls it `self`.
 */
export function matchCall(schema: OpSchema, { positional, keywords }: GivenCall, numbers: boolean): Match {
  const unknown = Object.keys(keywords).find((key) => keywords[key] !== undefined && !isNameIn(schema, key));
  if (unknown !== undefined) return { problem: noArgument(schema, unknown) };
  const places = schema.args.filter(({ kwargOnly }) => !kwargOnly).length;
  if (positional.length > places) {
    return { problem: `it takes ${places} positional arguments, not ${positional.length}` };
  }
  const args: Record<string, unknown> = {};
  for (const [i, arg] of schema.args.entries()) {
    const { name, type } = arg;
    const placed = arg.kwargOnly ? undefined : positional[i];
    const named = keywords[name] === undefined && name === "self" ? keywords.input : keywords[name];
    if (placed !== undefined && named !== undefined) return { problem: `\`${name}\` is given twice` };
    const value = placed === undefined ? named : placed;
    if (value === undefined && arg.default === undefined) return { problem: `\`${name}\` is missing` };
    if (value === undefined) continue;
    if (!fits(value, type, numbers)) {
      return { problem: `\`${name}\` must be ${printType(type)}, not ${describeGiven(value)}` };
    }
    args[name] = withoutNegativeZero(value, type);
  }
  return { args };
}

function isNameIn({ args }: OpSchema, key: string): boolean {
  return args.some(({ name }) => name === key || (name === "self" && key === "input"));
}

function noArgument({ args }: OpSchema, name: string): string {
  const meant = closestName(
    name,
    args.map((arg) => arg.name),
  );
  return `it has no argument \`${name}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
}
