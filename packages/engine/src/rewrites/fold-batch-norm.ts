import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { batchStatistics, scaleAndShift, widened } from "./batch-statistics.ts";
import { intsArg, isTrue, numberOf } from "./literals.ts";
import { argsOf, given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { converted, dense, resultType } from "./types.ts";

/**
 * Batch normalization behind a convolution or a linear layer becomes part of its weights:
 *
 *     bn(conv(x, w, b)) = conv(x, w·s, (b − mean)·s + β)   with s = γ / √(var + ε)
 *
 * when all of them are weights that no run writes and nothing else reads the convolution. Between a linear layer of
 * sequences and its normalization their positions may be flattened: bn(flatten(linear(x))) = flatten(linear(x)).
 */
export function foldBatchNorms(program: Program, target: RewriteTarget): Program {
  const sized = rewrite(program, SIZES, target);
  const folded = rewrite(sized, RULES, target);
  return folded === sized ? program : folded;
}

/** What is reshaped to the sizes of another tensor reads nothing else of it: known sizes take its place. */
const sizesOfAnother: RewriteRule = (node, context) => {
  const other = context.tensor(argOf(node, "other"));
  const sizes = other?.shape.map((size) => (typeof size === "object" ? -1 : Number(size)));
  // One size may follow from the others, if none of these is zero.
  if (sizes === undefined || sizes.filter((size) => size < 0).length > 1 || sizes.includes(0)) return null;
  return context.emit(
    "aten::reshape",
    { self: argOf(node, "self"), shape: intsArg(sizes) },
    resultType(node, context),
    node,
  );
};

const SIZES = new Map([["aten::reshape_as", sizesOfAnother]]);

const CONVOLUTION = /^aten::conv(olution|[123]d(\.padding)?)$/;
const TRANSPOSED = /^aten::conv_transpose[123]d/;
const FLATTENING = /^aten::(flatten\.using_ints|reshape|view)$/;

const rule: RewriteRule = (node, context) => {
  const normalized = argOf(node, "input");
  if (!context.isReadOnce(normalized)) return null;
  const flattening = flatteningOf(normalized, context);
  const product = flattening === undefined ? normalized : argOf(flattening, "self");
  const layer = context.definition(product);
  if (layer === undefined || !takesFactors(layer, flattening) || !context.isReadOnce(product)) return null;
  const [weight, bias] = [argOf(layer, "weight")!, given(layer, "bias")];
  if (!canFold({ weight, bias, normalized: normalized! }, context)) return null;
  const dtype = context.tensor(weight)?.dtype;
  const statistics = batchStatistics(node, dtype, context);
  if (dtype === undefined || statistics === null) return null;
  const { scale, shift } = scaleAndShift(statistics, bias, node, context);
  const scaledWeight = scaled(weight, scale, { norm: node, layer }, context);
  const folded = {
    ...argsOf(layer),
    weight: scaledWeight,
    bias: converted(shift, dtype, node, context),
  };
  const result = context.emit(layer.op, folded, context.tensor(product), layer);
  if (flattening === undefined) return result;
  return context.emit(flattening.op, { ...argsOf(flattening), self: result }, context.tensor(normalized), flattening);
};

/** Finds the node that makes rows of a tensor of more dimensions, whose last one stays. */
function flatteningOf(rows: Arg | undefined, context: RewriteContext): Node | undefined {
  const node = context.definition(rows);
  if (node === undefined || !FLATTENING.test(node.op)) return undefined;
  const [to, from] = [context.tensor(rows)?.shape, context.tensor(argOf(node, "self"))?.shape];
  const isRows = to?.length === 2 && typeof to[1] === "number" && to[1] === from?.at(-1);
  return isRows ? node : undefined;
}

/** Whether the output channels of a node are those of the normalization behind it. */
function takesFactors(layer: Node, flattening: Node | undefined): boolean {
  if (layer.op === "aten::linear") return true;
  if (flattening !== undefined) return false;
  // Groups of a transposed one share the second dimension of its weight.
  return isTransposed(layer) ? (numberOf(argOf(layer, "groups")) ?? 1) === 1 : CONVOLUTION.test(layer.op);
}

/** Whether the output channels are the second dimension of the weight. */
function isTransposed(layer: Node): boolean {
  return TRANSPOSED.test(layer.op) || (CONVOLUTION.test(layer.op) && isTrue(argOf(layer, "transposed")));
}

const RULES = new Map([
  ["aten::batch_norm", rule],
  ["aten::_native_batch_norm_legit_no_training", rule],
]);

interface Operands {
  readonly weight: Arg;
  readonly bias: Arg | undefined;
  readonly normalized: Arg;
}

function canFold({ weight, bias, normalized }: Operands, context: RewriteContext): boolean {
  const [type, result] = [context.tensor(weight), context.tensor(normalized)];
  // Without a batch dimension the normalization takes the height for the channels, and those of sequences are not last.
  if (type === undefined || type.shape.length !== result?.shape.length) return false;
  return context.isFixed(weight) && (bias === undefined || context.isFixed(bias));
}

/** The weight, each output channel multiplied by its factor, and rounded once. */
function scaled(
  weight: Arg,
  scale: Arg,
  { norm, layer }: { readonly norm: Node; readonly layer: Node },
  context: RewriteContext,
): Arg {
  const [type, factors] = [context.tensor(weight)!, context.tensor(scale)];
  const ones = type.shape.slice(isTransposed(layer) ? 2 : 1).map(() => 1);
  const shape = factors && [...factors.shape, ...ones];
  const args = { self: scale, shape: intsArg([-1, ...ones]) };
  const column = context.emit("aten::reshape", args, dense(factors, shape), norm);
  const self = widened(weight, layer, context);
  const product = context.emit(
    "aten::mul.Tensor",
    { self, other: column },
    dense(context.tensor(self), type.shape),
    layer,
  );
  return converted(product, type.dtype, layer, context);
}
