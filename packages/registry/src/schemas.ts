/** PyTorch's own schemas of every aten and prims overload: large, so behind an entry point of its own. */
import type { OpName } from "@pt2/graph";
import { parseSchema } from "./schema/parse.ts";
import type { OpSchema } from "./schema/types.ts";
import { SCHEMAS, TORCH_VERSION } from "./schemas.gen.ts";

export { TORCH_VERSION };

const texts: ReadonlyMap<OpName, string> = new Map(
  SCHEMAS.split("\n").map((line) => [line.slice(0, line.indexOf("(")), line]),
);
const parsed = new Map<OpName, OpSchema>();

/** The schema of one op, `aten::add.Tensor`. Undefined when PyTorch has no such overload. */
export function schemaOf(name: OpName): OpSchema | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = texts.get(name);
  if (text === undefined) return undefined;
  const schema = parseSchema(text);
  parsed.set(name, schema);
  return schema;
}

/** The schema as PyTorch prints it. */
export function schemaTextOf(name: OpName): string | undefined {
  return texts.get(name);
}

/** Names of all overloads, sorted. Nothing is parsed. */
export function schemaNames(): readonly OpName[] {
  return [...texts.keys()];
}

/** Every schema by op name. Parses them all (tens of milliseconds); {@link schemaOf} parses one. */
export function allSchemas(): ReadonlyMap<OpName, OpSchema> {
  return new Map(schemaNames().map((name) => [name, schemaOf(name)!]));
}
