import { DTYPES } from "@pt2/format";
import type { Arg, Node, OpName, TensorType } from "../ir.ts";
import { argOf, definitionsOf } from "../query/node-values.ts";
import { isContiguous, sameSizes } from "../strides.ts";

/** What the rules may read. */
export interface NoOpContext {
  tensorType(name: string | undefined): TensorType | null;
  isUsed(name: string): boolean;
  /** True if the program never writes to a tensor, so a copy is equivalent to the original. */
  readonly functional: boolean;
  /** True if views need no strides, because the backend chooses its own layouts. */
  readonly logicalViews: boolean;
}

/**
 * Returns the argument that a node returns unchanged as its first result (an alias where the program mutates); `"drop"`
 * for a node without results that can be removed; null where the node has an effect.
 */
type NoOpRule = (node: Node, context: NoOpContext) => Arg | "drop" | null;

const identity: NoOpRule = (node) => argOf(node, "self") ?? argOf(node, "input") ?? null;
/** Queries that tracing answered; the program already contains the answer. */
const answered: NoOpRule = (node) => (definitionsOf(node).length === 0 ? "drop" : null);
/** Drops _assert_tensor_metadata(a, dtype=…) if the tensor's recorded dtype satisfies it. */
const knownMetadata: NoOpRule = (node, context) => {
  const [a, dtype] = [argOf(node, "a"), argOf(node, "dtype")];
  const asked = ["size", "stride"].some((name) => (argOf(node, name)?.kind ?? "none") !== "none");
  const recorded = a?.kind === "value" ? context.tensorType(a.name)?.dtype : undefined;
  return !asked && dtype?.kind === "dtype" && dtype.value === recorded ? "drop" : null;
};

/** Restricts a rule to programs where copies and originals cannot be distinguished. */
function whenFunctional(rule: NoOpRule): NoOpRule {
  return (node, context) => (context.functional ? rule(node, context) : null);
}

function isTrue(arg: Arg | undefined): boolean {
  return arg?.kind === "bool" && arg.value;
}

/** dropout(x, p, train=False) = dropout(x, 0, train) = x, for a valid probability p. */
const evalDropout: NoOpRule = (node, context) => {
  const [train, p] = [argOf(node, "train"), argOf(node, "p")];
  if (p?.kind === "float" && !(p.value >= 0 && p.value <= 1)) return null;
  const drops = p === undefined || (p.kind !== "float" && p.kind !== "int") || Number(p.value) !== 0;
  if (drops && (train?.kind !== "bool" || train.value)) return null;
  const [, mask] = node.outputs;
  return mask?.kind === "value" && context.isUsed(mask.name) ? null : identity(node, context);
};

function types(node: Node, context: NoOpContext): readonly [TensorType, TensorType] | null {
  const self = identity(node, context);
  const [output] = node.outputs;
  const from = context.tensorType(self !== null && self !== "drop" && self.kind === "value" ? self.name : undefined);
  const to = context.tensorType(output?.kind === "value" ? output.name : undefined);
  return from === null || to === null ? null : [from, to];
}

/** to(x, dtype of x, device of x) = x, unless it requests a copy or another memory layout. */
const conversion: NoOpRule = (node, context) => {
  const pair = types(node, context);
  if (pair === null || isTrue(argOf(node, "copy"))) return null;
  const [from, to] = pair;
  const layout = argOf(node, "layout");
  const dense =
    layout === undefined || layout.kind === "none" || (layout.kind === "layout" && layout.value === "strided");
  const same = from.dtype === to.dtype && from.device.type === to.device.type && from.device.index === to.device.index;
  return same && dense && keepsLayout(node, from, to, context) ? identity(node, context) : null;
};

function keepsLayout(node: Node, from: TensorType, to: TensorType, { logicalViews, functional }: NoOpContext): boolean {
  const format = argOf(node, "memory_format");
  if (format === undefined || format.kind === "none" || (logicalViews && functional)) return true;
  if (format.kind !== "memory_format") return false;
  return format.value === "preserve_format" || sameSizes(from.strides, to.strides);
}

/** contiguous(x) = x for a dense x, clone(x) = x without mutation where layouts do not matter. */
const contiguous: NoOpRule = (node, context) => {
  const pair = types(node, context);
  if (pair === null) return null;
  const format = argOf(node, "memory_format");
  const rowMajor = format?.kind !== "memory_format" || format.value === "contiguous_format";
  const already = rowMajor ? isContiguous(pair[0]) : sameSizes(pair[0].strides, pair[1].strides);
  return already || (context.logicalViews && context.functional) ? identity(node, context) : null;
};

/** expand, view and reshape to the shape of x return x; so does a slice of everything. */
const sameShape: NoOpRule = (node, context) => {
  const pair = types(node, context);
  if (pair === null || pair[0].dtype !== pair[1].dtype || !sameSizes(pair[0].shape, pair[1].shape)) return null;
  const step = argOf(node, "step");
  return step === undefined || (step.kind === "int" && step.value === 1) ? identity(node, context) : null;
};

/** sum_to_size to the size of x sums nothing, but copies a 0-dim tensor. */
const sumToSize: NoOpRule = (node, context) =>
  context.functional || types(node, context)?.[0].shape.length !== 0 ? sameShape(node, context) : null;

/** conj_physical of real numbers is its argument. */
const real: NoOpRule = (node, context) => {
  const dtype = types(node, context)?.[0].dtype;
  return dtype === undefined || DTYPES[dtype].kind === "complex" ? null : identity(node, context);
};

const free = whenFunctional((node, context) => (context.logicalViews ? identity(node, context) : null));

function rules(rule: NoOpRule, ...ops: readonly OpName[]): readonly (readonly [OpName, NoOpRule])[] {
  return ops.map((op) => [`aten::${op}`, rule]);
}

/** Rules of removable operators. */
export const NO_OP_RULES: ReadonlyMap<OpName, NoOpRule> = new Map<OpName, NoOpRule>([
  ...rules(identity, "detach", "detach_", "alias", "lift", "lift_fresh", "requires_grad_", "positive"),
  ...rules(whenFunctional(identity), "lift_fresh_copy", "detach_copy", "alias_copy"),
  ...rules(
    evalDropout,
    "dropout",
    "dropout_",
    "feature_dropout",
    "feature_dropout_",
    "alpha_dropout",
    "alpha_dropout_",
  ),
  ...rules(evalDropout, "feature_alpha_dropout", "feature_alpha_dropout_"),
  ...rules(whenFunctional(evalDropout), "native_dropout"),
  ...rules(knownMetadata, "_assert_tensor_metadata"),
  ...rules(answered, "promote_types", "can_cast", "is_same_size", "is_set_to", "is_pinned", "is_distributed"),
  ...rules(answered, "result_type.Tensor", "result_type.Scalar", "result_type.Scalar_Tensor"),
  ...rules(answered, "result_type.Scalar_Scalar", "dense_dim", "sparse_dim", "_fused_sdp_choice"),
  ...rules(answered, "is_vulkan_available", "cudnn_is_acceptable"),
  ...rules(
    conversion,
    "to.dtype",
    "to.dtype_layout",
    "to.device",
    "to.other",
    "to.prim_Device",
    "to.prim_dtype",
    "type_as",
  ),
  ...rules(conversion, "_cast_Byte", "_cast_Char", "_cast_Double", "_cast_Float", "_cast_Half", "_cast_Int"),
  ...rules(conversion, "_cast_Long", "_cast_Short"),
  ...rules(real, "conj_physical"),
  ...rules(whenFunctional(conversion), "_to_copy"),
  ...rules(contiguous, "contiguous"),
  ...rules(free, "clone"),
  ...rules(sameShape, "expand", "view", "reshape", "slice.Tensor", "_unsafe_view"),
  ...rules(sumToSize, "sum_to_size"),
]);
