import type { Node } from "@pt2/graph";
import { describe } from "./lower/arguments.ts";
import { registryError } from "./registry-errors.ts";
import { printType } from "./schema/print.ts";
import type { OpSchema } from "./schema/types.ts";

/**
 * Throws `registry.argument` unless a node names arguments as its op's schema does: each once, none that the schema does
 * not have, and all that have no default. Passes read arguments by name, so this comes before them.
 */
export function requireArguments(node: Node, schema: OpSchema): void {
  const given = new Set<string>();
  for (const { name } of node.args) {
    if (given.has(name)) throw refusal(node, schema, name, "is given twice");
    given.add(name);
    if (!schema.args.some((arg) => arg.name === name)) throw refusal(node, schema, name, "is unknown");
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
