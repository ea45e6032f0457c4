import type { OpName } from "@pt2/graph";
import { parseSchema } from "./schema/parse.ts";
import type { OpSchema } from "./schema/types.ts";
import { SCHEMAS, TORCH_VERSION } from "./schemas.gen.ts";

/** PyTorch's own schemas of every aten and prims overload. */
export interface TorchSchemas {
  /** Version of PyTorch that has them. */
  readonly torch: string;
  /** Names of all overloads, sorted. Nothing is parsed. */
  names(): readonly OpName[];
  /** The schema of one op, `aten::add.Tensor`. Undefined when PyTorch has no such overload. */
  schemaOf(name: OpName): OpSchema | undefined;
  /** The schema as PyTorch prints it. */
  textOf(name: OpName): string | undefined;
}

const texts: ReadonlyMap<OpName, string> = new Map(
  SCHEMAS.split("\n").map((line) => [line.slice(0, line.indexOf("(")), line]),
);
const parsed = new Map<OpName, OpSchema>();

export const torchSchemas: TorchSchemas = {
  torch: TORCH_VERSION,
  names: () => [...texts.keys()],
  schemaOf(name) {
    const known = parsed.get(name);
    if (known !== undefined) return known;
    const text = texts.get(name);
    if (text === undefined) return undefined;
    const schema = parseSchema(text);
    parsed.set(name, schema);
    return schema;
  },
  textOf: (name) => texts.get(name),
};
