import type { Node } from "@pt2/graph";
import { kindProblem, type ValueTypes } from "./argument-kinds.ts";
import { describe } from "./lower/arguments.ts";
import { registryError } from "./registry-errors.ts";
import { printType } from "./schema/print-type.ts";
import type { OpSchema } from "./schema/types.ts";

/**
 * Throws `registry.argument` unless a node's arguments match its op's schema: no duplicates, no unknown names, no
 * missing argument without a default, and each of the kind of its type. Passes read arguments by name, so this check
 * comes before them.
 */
export function requireArguments(node: Node, schema: OpSchema, types: ValueTypes): void {
  const given = new Set<string>();
  for (const { name, arg } of node.args) {
    if (given.has(name)) throw refusal(node, schema, name, "is given twice");
    given.add(name);
    const declared = schema.args.find((each) => each.name === name);
    if (declared === undefined) throw refusal(node, schema, name, "is unknown");
    const problem = kindProblem(arg, declared.type, types);
    if (problem !== null) throw refusal(node, schema, name, `${problem}; it must be ${printType(declared.type)}`);
  }
  if (given.size === schema.args.length) return;
  const missing = schema.args.find((arg) => arg.default === undefined && !given.has(arg.name));
  if (missing !== undefined) throw refusal(node, schema, missing.name, "is missing");
}

function refusal(node: Node, { name, args }: OpSchema, argument: string, what: string): Error {
  return registryError("registry.argument", {
    what: `${name}: argument \`${argument}\` ${what}`,
    where: describe(node),
    advice: `its arguments are: ${args.map((arg) => `${printType(arg.type)} ${arg.name}`).join(", ")}`,
    details: { op: name, argument },
  });
}
