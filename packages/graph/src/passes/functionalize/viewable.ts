import { DTYPES, type DType, numel } from "@pt2/format";
import type { Node, OpName, TensorType } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";
import { isContiguous, sameSizes } from "../../strides.ts";
import { type Bindings, evaluateSize } from "../../sym/evaluate-expr.ts";
import { symbolsOf } from "../../sym/make-expr.ts";
import type { SymInt } from "../../sym/sym-expr.ts";
import type { Tensor } from "./alias-state.ts";

/** Whether a result that may alias is a view of its argument. */
export type Aliasing = "view" | "copy" | "unknown";

/** The types of a result and of the argument that it may view. */
export interface Viewed {
  readonly from: TensorType | undefined;
  readonly to: TensorType | undefined;
  /** Whether the argument is lazily conjugated or negated. Null where that is unknown. */
  readonly isConjugate: boolean | null;
}

type AliasRule = (node: Node, viewed: Viewed) => Aliasing;

/** A view where the strides allow it, else a copy. */
const reshaped: AliasRule = (_, { from, to }) => {
  if (from === undefined || to === undefined) return "unknown";
  if (isContiguous(from) || sameSizes(from.shape, to.shape)) return "view";
  const [typical, least] = [TYPICAL, () => 1].map((symbol) => viewableWhere(symbol, from, to));
  if (typical === undefined || typical !== least) return "unknown";
  return typical ? "view" : "copy";
};

/** The argument itself, or a copy; calls without effect were recognized as no-ops before. */
const changed: AliasRule = (_, { from, to }) => (from === undefined || to === undefined ? "unknown" : "copy");

/** A view, or a copy where conjugation has to be computed. */
const computed: AliasRule = (_, { isConjugate }) => (isConjugate === null ? "unknown" : isConjugate ? "copy" : "view");

/** einsum of one operand permutes it and takes diagonals, which is a view unless it sums. */
const einsum: AliasRule = (node) => {
  const equation = argOf(node, "equation");
  if (equation?.kind !== "string") return "unknown";
  const [operand = "", result] = equation.value.replaceAll(/\s/g, "").split("->");
  const labels = [...operand.replace("...", ".")];
  // Without a right side, labels that occur once are kept.
  const isKept = (label: string): boolean =>
    result === undefined
      ? label === "." || labels.indexOf(label) === labels.lastIndexOf(label)
      : result.includes(label);
  return labels.every(isKept) ? "view" : "copy";
};

const view: AliasRule = () => "view";

function rules(rule: AliasRule, ...ops: readonly string[]): readonly (readonly [OpName, AliasRule])[] {
  return ops.map((op) => [`aten::${op}`, rule]);
}

const ALIAS_RULES: ReadonlyMap<OpName, AliasRule> = new Map([
  ...rules(reshaped, "reshape", "reshape_as", "flatten.using_ints", "ravel", "flatten_dense_tensors"),
  ...rules(changed, "contiguous", "type_as", "sum_to_size", "_grad_sum_to_size", "conj_physical"),
  ...rules(changed, "to.device", "to.dtype", "to.dtype_layout", "to.other", "to.prim_Device", "to.prim_dtype"),
  ...rules(changed, "_cast_Byte", "_cast_Char", "_cast_Double", "_cast_Float", "_cast_Half", "_cast_Int"),
  ...rules(changed, "_cast_Long", "_cast_Short"),
  ...rules(changed, "dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"),
  ...rules(computed, "resolve_conj", "resolve_neg"),
  ...rules(computed, "unsafe_chunk", "unsafe_split.Tensor", "unsafe_split_with_sizes"),
  ...rules(einsum, "einsum"),
  ...rules(view, "cartesian_prod"),
]);

/** Decides between view and copy for an op that may return either; ops without a rule are unknown. */
export function aliasing(node: Node, viewed: Viewed): Aliasing {
  return ALIAS_RULES.get(node.op)?.(node, viewed) ?? "unknown";
}

const CONJUGATES = /^aten::(_?conj|adjoint|mH|matrix_H)$/;
const NEGATES = /^aten::(imag|_neg_view)$/;

/** Returns whether a tensor is lazily conjugated: after an odd number of conjugating views. A copy is materialized. */
export function isConjugate(tensor: Tensor, dtype: DType | undefined): boolean | null {
  if (dtype === undefined) return null;
  const isComplex = DTYPES[dtype].kind === "complex";
  let conjugate = false;
  for (let at: Tensor | null = tensor; at !== null; at = at.parent) {
    if (at.step === null) continue;
    if (NEGATES.test(at.step.node.op)) return null;
    if (isComplex && CONJUGATES.test(at.step.node.op)) conjugate = !conjugate;
  }
  return conjugate;
}

/**
 * Sizes that are unlikely to be equal by chance, with many divisors. A reshape that is a view with these sizes is one
 * with all sizes, since strides are symbolic; a copy with these may be a view where sizes are 1.
 */
const TYPICAL = (symbol: number): number => 720 * (7 + 2 * symbol);

/** Returns whether the reshape is a view for these symbol sizes; undefined where the sizes are impossible. */
function viewableWhere(size: (symbol: number) => number, from: TensorType, to: TensorType): boolean | undefined {
  const lists = [from.shape, from.strides, to.shape];
  const symbols = new Set(lists.flat().flatMap((value) => [...symbolsOf(value)]));
  const bindings = new Map([...symbols].map((symbol, i) => [symbol, size(i)]));
  const [shape, strides, wanted] = lists.map((values) => sizesWhere(values, bindings));
  if (shape === undefined || strides === undefined || wanted === undefined) return undefined;
  return numel(shape) === numel(wanted) ? isViewable(shape, strides, wanted) : undefined;
}

function sizesWhere(values: readonly SymInt[], bindings: Bindings): readonly number[] | undefined {
  try {
    return values.map((value) => evaluateSize(value, bindings));
  } catch {
    // Some size is negative, or divides by zero.
    return undefined;
  }
}

/**
 * Applies PyTorch's rule: dimensions may be merged only where their strides chain, `stride[i] = stride[i + 1] · size[i
 * + 1]`.
 */
function isViewable(shape: readonly number[], strides: readonly number[], wanted: readonly number[]): boolean {
  const dims = shape.map((size, i) => ({ size, stride: strides[i]! })).filter(({ size }) => size !== 1);
  const chunks: number[] = [];
  dims.forEach(({ size, stride }, i) => {
    const before = dims[i - 1];
    if (before !== undefined && before.stride === stride * size) chunks.push(chunks.pop()! * size);
    else chunks.push(size);
  });
  // The new sizes must split the chunks in order.
  let at = 0;
  let filled = 1;
  for (const size of wanted.filter((n) => n !== 1)) {
    filled *= size;
    if (chunks[at] === undefined || filled > chunks[at]!) return false;
    if (filled === chunks[at]) {
      at++;
      filled = 1;
    }
  }
  return at === chunks.length;
}
