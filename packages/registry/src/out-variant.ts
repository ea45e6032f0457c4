import { type OpName, splitOpName } from "@pt2/graph";
import { keepDtype } from "./in-place.ts";
import type { OpRecord } from "./op.ts";
import type { TensorMeta } from "./tensor-meta.ts";

/**
 * The overload names that the functional variant may have if that of the out variant does not tell, as in
 * `aten::mean.out`, in order of preference.
 */
const UNNAMED = ["other", "dim", "", "Tensor"];

/** Returns the names that the functional variant of `aten::clamp.Tensor_out` may have: `aten::clamp.Tensor`. */
export function functionalNamesOfOut(name: OpName): readonly OpName[] {
  const { namespace, op, overload } = splitOpName(name);
  const named = /^(.+)_out$/.exec(overload)?.[1];
  const overloads = named !== undefined ? [named] : overload === "out" ? UNNAMED : [];
  return overloads.map(
    (variant): OpName => (variant === "" ? `${namespace}::${op}` : `${namespace}::${op}.${variant}`),
  );
}

/**
 * Makes the record of an out variant from that of its functional variant: the same arguments, followed by `out`.
 * Returns undefined for a variant that does not return exactly one new tensor.
 */
export function outRecord(name: OpName, variant: OpRecord): OpRecord | undefined {
  const { args, returns } = variant.schema;
  const [result] = returns;
  const tensor = result?.type;
  const isOne = returns.length === 1 && tensor?.kind === "base" && tensor.base === "Tensor";
  // In the schemas of factory functions `out` replaces dtype, layout and device.
  const isFactory = args.some((arg) => arg.name === "pin_memory");
  if (!isOne || isFactory || result?.alias != null || variant.view !== undefined) return undefined;
  const alias = { sets: ["a"], write: true };
  const out = { name: "out", type: tensor, alias, default: undefined, kwargOnly: true };
  const written = (given: Readonly<Record<string, unknown>>): TensorMeta => given.out as TensorMeta;
  return {
    name,
    schema: { name, args: [...args, out], returns: [{ name: null, type: tensor, alias }] },
    functional: variant.name,
    ...(variant.impure === undefined ? {} : { impure: variant.impure }),
    infer: (given) => ({ dtype: written(given).dtype, shape: written(given).shape }),
    decompose: ({ out: target, ...rest }, b) => keepDtype(b.tensor(variant.name, rest), target as TensorMeta, b),
  };
}
