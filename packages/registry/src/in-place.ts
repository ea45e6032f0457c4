import { type OpName, splitOpName } from "@pt2/graph";
import type { Builder } from "./builder.ts";
import type { OpRecord } from "./op.ts";
import type { OpSchema } from "./schema/types.ts";
import type { ArgValue, TensorMeta } from "./tensor-meta.ts";

/**
 * Makes the record of an in-place op, `aten::add_.Tensor`, from that of its functional variant: the arguments are the
 * same, and the first is written to and returned. It decomposes into the variant and a conversion to the dtype of the
 * written argument. Returns undefined for a variant whose first argument is not a tensor.
 */
export function inPlaceRecord(name: OpName, variant: OpRecord): OpRecord | undefined {
  const [self] = variant.schema.args;
  if (self?.type.kind === "list") return inPlaceOfList(name, variant);
  if (self?.type.kind !== "base" || self.type.base !== "Tensor") return undefined;
  const schema = inPlaceSchema(name, variant.schema);
  const common = { name, schema, functional: variant.name };
  if (variant.view !== undefined) {
    return { ...common, view: variant.view, ...(variant.inverse === undefined ? {} : { inverse: variant.inverse }) };
  }
  const written = (args: Readonly<Record<string, ArgValue>>): TensorMeta => args.self as TensorMeta;
  return {
    ...common,
    ...(variant.impure === undefined ? {} : { impure: variant.impure }),
    infer: (args) => ({ dtype: written(args).dtype, shape: written(args).shape }),
    decompose: ({ self: target, ...rest }, b) =>
      keepDtype(b.tensor(variant.name, { [self.name]: target, ...rest }), target, b),
  };
}

/** Derives the record of an op that writes to each tensor of a list and returns nothing, such as `aten::_foreach_mul_.Scalar`. */
function inPlaceOfList(name: OpName, variant: OpRecord): OpRecord | undefined {
  const { args, returns } = variant.schema;
  const [self, ...rest] = args;
  const { type } = self!;
  const isOfTensors = type.kind === "list" && type.inner.kind === "base" && type.inner.base === "Tensor";
  if (!isOfTensors || returns.length !== 1 || returns[0]!.type.kind !== "list") return undefined;
  const schema = { name, args: [{ ...self!, alias: { sets: ["a"], write: true } }, ...rest], returns: [] };
  return { name, schema, functional: variant.name };
}

/**
 * Returns the regular functional name: `aten::add.Tensor` for `aten::add_.Tensor`, `aten::__or__` for `aten::__ior__`.
 */
export function functionalName(name: OpName): OpName | null {
  const { namespace, op, overload } = splitOpName(name);
  const dunder = /^__i(\w+)__$/.exec(op)?.[1];
  const plain = dunder === undefined ? /^(.*[^_])_$/.exec(op)?.[1] : `__${dunder}__`;
  if (plain === undefined) return null;
  return overload === "" ? `${namespace}::${plain}` : `${namespace}::${plain}.${overload}`;
}

function inPlaceSchema(name: OpName, { args, returns }: OpSchema): OpSchema {
  const alias = { sets: ["a"], write: true };
  const [self, ...rest] = args;
  // The functional variant of `dropout_` calls it `input`.
  return { name, args: [{ ...self!, name: "self", alias }, ...rest], returns: [{ ...returns[0]!, name: null, alias }] };
}

/** Converts the result of a functional variant to the dtype of the written argument. */
export function keepDtype(result: TensorMeta, { dtype }: TensorMeta, b: Builder): TensorMeta {
  return result.dtype === dtype ? result : b.tensor("aten::_to_copy", { self: result, dtype });
}
