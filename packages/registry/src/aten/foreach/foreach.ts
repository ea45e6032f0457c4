import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { ArgValue, Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

type Tensors = readonly TensorMeta[];
type Values = readonly ArgValue[];
type ForEach = (args: Readonly<Record<string, ArgValue>>, b: Builder) => Tensors;

/**
 * Defines an op that does the same with each tensor of a list. What optimizers and `clip_grad_norm_` call with
 * `foreach=True` becomes the ops that they call without it.
 */
function foreach(name: string, args: string, decompose: ForEach): OpRecord {
  return defineOp(`aten::_foreach_${name}(Tensor[] self${args}) -> Tensor[]`, { decompose: decompose as never });
}

const each =
  (call: (self: TensorMeta, i: number, args: Readonly<Record<string, ArgValue>>, b: Builder) => TensorMeta): ForEach =>
  (args, b) =>
    some(args.self as Tensors).map((self, i) => call(self, i, args, b));

function some(tensors: Tensors): Tensors {
  check(tensors.length > 0, "Tensor list must have at least one tensor.");
  return tensors;
}

/** Returns the item for a tensor of what may be one for all, or a list of as many. */
function itemOf(value: ArgValue | undefined, i: number, self: Tensors): ArgValue {
  if (!Array.isArray(value)) return value!;
  check(
    value.length === self.length,
    () => `lists must have the same number of tensors, got ${self.length} and ${value.length}`,
  );
  return (value as Values)[i]!;
}

const UNARY = [
  ...["abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac", "lgamma"],
  ...["log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt"],
  ...["tan", "tanh", "trunc"],
];

/** The ops of two lists, each with the one that takes tensors, and the name of its second argument. */
const BINARY: Readonly<Record<string, readonly [op: string, other: string]>> = {
  add: ["aten::add.Tensor", "other"],
  sub: ["aten::sub.Tensor", "other"],
  mul: ["aten::mul.Tensor", "other"],
  div: ["aten::div.Tensor", "other"],
  maximum: ["aten::maximum", "other"],
  minimum: ["aten::minimum", "other"],
  clamp_max: ["aten::clamp_max.Tensor", "max"],
  clamp_min: ["aten::clamp_min.Tensor", "min"],
};

/** Calls an op of two tensors; a number promotes as a number does. */
const pairs = (name: string, given: string): ForEach => {
  const [op, other] = BINARY[name]!;
  return each((self, i, args, b) => {
    const { alpha } = args;
    const item = itemOf(args[given], i, args.self as Tensors);
    return b.tensor(op, { self, [other]: item, ...(alpha === undefined ? {} : { alpha }) });
  });
};

/** Returns `self + value tensor1 tensor2`, or with a quotient. */
const combined = (op: "aten::addcmul" | "aten::addcdiv", given: string): ForEach =>
  each((self, i, args, b) => {
    const all = args.self as Tensors;
    const tensor1 = itemOf(args.tensor1, i, all) as TensorMeta;
    const tensor2 = itemOf(args.tensor2, i, all) as TensorMeta;
    return b.tensor(op, { self, tensor1, tensor2, value: itemOf(args[given], i, all) as Scalar });
  });

/** Does the same where the values are elements of a tensor, in the dtype of the result. */
const scaledBy = (op: "aten::mul.Tensor" | "aten::div.Tensor"): ForEach =>
  each((self, i, { self: all, tensor1, tensor2, scalars }, b) => {
    const [first, second] = [tensor1, tensor2].map((list) => itemOf(list, i, all as Tensors) as TensorMeta);
    const factors = scalars as TensorMeta;
    check(
      factors.shape.length === 1 && factors.shape[0] === (all as Tensors).length,
      "Expected scalars to be a packed tensor of one dimension, with an element for each tensor",
    );
    const e = emit(b);
    const value = e.cast(e.select(factors, 0, i), self.dtype);
    const scaled = b.tensor(op, { self: e.mul(e.wide(value), e.wide(first!)), other: e.wide(second!) });
    return e.cast(e.add(e.wide(self), scaled), self.dtype);
  });

/** Defines the ops on lists of tensors. */
export const FOREACH_OPS: readonly OpRecord[] = [
  ...UNARY.map((name) =>
    foreach(
      name,
      "",
      each((self, _, __, b) => b.tensor(`aten::${name}` as string, { self })),
    ),
  ),
  ...["add", "sub"].map((name) => foreach(`${name}.List`, ", Tensor[] other, *, Scalar alpha=1", pairs(name, "other"))),
  ...["mul", "div", "maximum", "minimum", "clamp_max", "clamp_min"].map((name) =>
    foreach(`${name}.List`, ", Tensor[] other", pairs(name, "other")),
  ),
  ...Object.keys(BINARY).flatMap((name) => [
    foreach(`${name}.Scalar`, ", Scalar scalar", pairs(name, "scalar")),
    foreach(`${name}.ScalarList`, ", Scalar[] scalars", pairs(name, "scalars")),
  ]),
  foreach("add.Tensor", ", Tensor other, *, Scalar alpha=1", pairs("add", "other")),
  ...["mul", "div"].map((name) => foreach(`${name}.Tensor`, ", Tensor other", pairs(name, "other"))),
  ...(["addcmul", "addcdiv"] as const).flatMap((name) => [
    foreach(
      `${name}.Scalar`,
      ", Tensor[] tensor1, Tensor[] tensor2, Scalar value=1",
      combined(`aten::${name}`, "value"),
    ),
    foreach(
      `${name}.ScalarList`,
      ", Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars",
      combined(`aten::${name}`, "scalars"),
    ),
    foreach(
      `${name}.Tensor`,
      ", Tensor[] tensor1, Tensor[] tensor2, Tensor scalars",
      scaledBy(name === "addcmul" ? "aten::mul.Tensor" : "aten::div.Tensor"),
    ),
  ]),
  foreach(
    "lerp.List",
    ", Tensor[] tensors1, Tensor[] weights",
    each((self, i, { self: all, tensors1, weights }, b) => {
      const end = itemOf(tensors1, i, all as Tensors) as TensorMeta;
      return b.tensor("aten::lerp.Tensor", { self, end, weight: itemOf(weights, i, all as Tensors) as TensorMeta });
    }),
  ),
  ...[", Tensor[] tensors1, Scalar weight", ", Tensor[] tensors1, Scalar[] weight"].map((args) =>
    foreach(
      args.includes("[] weight") ? "lerp.ScalarList" : "lerp.Scalar",
      args,
      each((self, i, { self: all, tensors1, weight }, b) => {
        const end = itemOf(tensors1, i, all as Tensors) as TensorMeta;
        return b.tensor("aten::lerp.Scalar", { self, end, weight: itemOf(weight, i, all as Tensors) as Scalar });
      }),
    ),
  ),
  foreach(
    "pow.List",
    ", Tensor[] exponent",
    each((self, i, { self: all, exponent }, b) =>
      b.tensor("aten::pow.Tensor_Tensor", { self, exponent: itemOf(exponent, i, all as Tensors) as TensorMeta }),
    ),
  ),
  ...["Scalar exponent", "Scalar[] exponent"].map((args) =>
    foreach(
      args.includes("[]") ? "pow.ScalarList" : "pow.Scalar",
      `, ${args}`,
      each((self, i, { self: all, exponent }, b) =>
        b.tensor("aten::pow.Tensor_Scalar", { self, exponent: itemOf(exponent, i, all as Tensors) as Scalar }),
      ),
    ),
  ),
  defineOp("aten::_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]", {
    decompose: ({ self, exponent: all }, b) =>
      some(all as Tensors).map((exponent) => b.tensor("aten::pow.Scalar", { self, exponent })),
  }),
  defineOp("aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]", {
    decompose: ({ self: all, ord, dtype }, b) =>
      some(all as Tensors).map((self) => b.tensor("aten::linalg_vector_norm", { self, ord, dtype })),
  }),
  defineOp("aten::_foreach_max(Tensor[] self) -> Tensor[]", {
    decompose: ({ self: all }, b) => some(all as Tensors).map((self) => b.tensor("aten::max", { self })),
  }),
  defineOp("aten::_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]", {
    decompose: ({ self: all, memory_format }, b) =>
      some(all as Tensors).map((self) => b.tensor("aten::clone", { self, memory_format })),
  }),
  foreach(
    "mm",
    ", Tensor[] mat2",
    each((self, i, { self: all, mat2 }, b) =>
      b.tensor("aten::mm", { self, mat2: itemOf(mat2, i, all as Tensors) as TensorMeta }),
    ),
  ),
  defineOp("aten::_foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]", {
    decompose: ({ self: all, ord, dtype }, b) =>
      some(all as Tensors).map((self) => {
        const given = dtype === null ? self : emit(b).cast(self, dtype);
        const isFloating = isFloat(given.dtype) || isComplex(given.dtype);
        check(isFloating, () => `powsum is not implemented for ${given.dtype}`);
        const sizes = emit(b).wide(b.tensor("aten::abs", { self: given }));
        const sum = b.tensor("aten::sum", { self: emit(b).pow(sizes, ord) });
        return isComplex(given.dtype) ? sum : emit(b).cast(sum, given.dtype);
      }),
  }),
  defineOp("aten::_foreach_copy(Tensor[] self, Tensor[] src, bool non_blocking=False) -> Tensor[] self_out", {
    decompose: ({ self: all, src }, b) =>
      some(all as Tensors).map((self, i) =>
        b.tensor("aten::copy", { self, src: itemOf(src as never, i, all as Tensors) as TensorMeta }),
      ),
  }),
  defineOp("aten::_foreach_zero(Tensor[] self) -> Tensor[] self_out", {
    decompose: ({ self: all }, b) => some(all as Tensors).map((self) => b.tensor("aten::zeros_like", { self })),
  }),
];
