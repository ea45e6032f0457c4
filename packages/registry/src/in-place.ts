import type { OpName } from "@pt2/graph";
import type { ArgValue, Builder } from "./builder.ts";
import { functionalName } from "./effects.ts";
import type { OpRecord } from "./op.ts";
import type { OpSchema } from "./schema/types.ts";
import type { TensorMeta } from "./tensor-meta.ts";

/**
 * The record of an in-place op, `aten::add_.Tensor`, made from the one of its functional twin: the same arguments,
 * of which the first is written to and returned. It decomposes into the twin and a conversion to the dtype of what is
 * written to. Undefined when the name is not in-place or there is no twin.
 */
export function inPlaceRecord(name: OpName, resolve: (op: OpName) => OpRecord | undefined): OpRecord | undefined {
  const functional = functionalName(name);
  const twin = functional === null ? undefined : resolve(functional);
  const [self] = twin?.schema.args ?? [];
  if (twin === undefined || self?.type.kind !== "base" || self.type.base !== "Tensor") return undefined;
  const schema = inPlaceSchema(name, twin.schema);
  if (twin.view !== undefined) return { name, schema, view: twin.view };
  const written = (args: Readonly<Record<string, ArgValue>>): TensorMeta => args[self.name] as TensorMeta;
  return {
    name,
    schema,
    ...(twin.impure === undefined ? {} : { impure: twin.impure }),
    infer: (args) => ({ dtype: written(args).dtype, shape: written(args).shape }),
    decompose: (args, b) => keepDtype(b.tensor(twin.name, args), written(args), b),
  };
}

function inPlaceSchema(name: OpName, { args, returns }: OpSchema): OpSchema {
  const alias = { sets: ["a"], write: true };
  const [self, ...rest] = args;
  return { name, args: [{ ...self!, alias }, ...rest], returns: [{ ...returns[0]!, name: null, alias }] };
}

function keepDtype(result: TensorMeta, { dtype }: TensorMeta, b: Builder): TensorMeta {
  return result.dtype === dtype ? result : b.tensor("aten::_to_copy", { self: result, dtype });
}
