import type { OpName } from "@pt2/graph";
import { parseSchema } from "./schema/parse.ts";
import type { OpSchema } from "./schema/types.ts";
import { SCHEMAS, TORCH_VERSION } from "./schemas.gen.ts";

/** PyTorch's own schemas of every aten and prims overload. */
export interface TorchSchemas {
  /** The version of PyTorch that the schemas come from. */
  readonly torch: string;
  /** Returns the names of all overloads, sorted, without parsing any schema. */
  names(): readonly OpName[];
  /** Returns the schema of one op, `aten::add.Tensor`, or undefined if PyTorch has no such overload. */
  schemaOf(name: OpName): OpSchema | undefined;
  /** Returns the schema as PyTorch prints it. */
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
