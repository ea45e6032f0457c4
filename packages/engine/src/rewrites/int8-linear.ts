import { numel } from "@pt2/format";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { intsOf, knownShape, NONE, numberOf } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { resultType } from "./types.ts";

/** A linear layer whose weight is made of int8 keeps it as it is in the file: one byte for each element. */
export function keepInt8(program: Program, target: RewriteTarget): Program {
  return target.has(OP) ? rewrite(program, RULES, target) : program;
}

const OP = "pt2::linear_int8";

const linear: RewriteRule = (node, context) => {
  const [input, weight] = [argOf(node, "input"), argOf(node, "weight")];
  return kept(node, input, quantizedRows(weight, false, context), given(node, "bias"), context);
};

const mm: RewriteRule = (node, context) => {
  const [input, columns] = [argOf(node, "self"), argOf(node, "mat2")];
  return kept(node, input, quantizedRows(columns, true, context), undefined, context);
};

const addmm: RewriteRule = (node, context) => {
  const [bias, input, columns] = [given(node, "self"), argOf(node, "mat1"), argOf(node, "mat2")];
  const isScaled = given(node, "alpha") !== undefined || given(node, "beta") !== undefined;
  return isScaled ? null : kept(node, input, quantizedRows(columns, true, context), bias, context);
};

const RULES = new Map([
  ["aten::linear", linear],
  ["aten::mm", mm],
  ["aten::addmm", addmm],
]);

/** An int8 matrix, and what makes floats of it: a number for each row, or for each group of its columns. */
interface Quantized {
  readonly weight: Arg;
  readonly scale?: Arg | undefined;
  readonly zero?: Arg | undefined;
}

function kept(
  node: Node,
  input: Arg | undefined,
  found: Quantized | null,
  bias: Arg | undefined,
  context: RewriteContext,
): Arg | null {
  if (found === null || context.tensor(input)?.dtype !== "float32") return null;
  const { weight, scale = NONE, zero = NONE } = found;
  const isFixed = [weight, scale, zero].every((arg) => arg === NONE || context.isFixed(arg));
  const shape = knownShape(context.tensor(weight));
  if (shape?.length !== 2 || context.tensor(weight)?.dtype !== "int8" || !isFixed) return null;
  if (bias !== undefined && knownShape(context.tensor(bias))?.join() !== String(shape[0])) return null;
  const args = { input, weight, scale, zero_point: zero, bias: bias ?? NONE };
  return context.emit(OP, args, resultType(node, context), node);
}

/**
 * Finds the int8 matrix that `value`, in float32, is made of; `isTransposed`: by its columns. On the way there may be
 * transpositions, and there is a dequantization, or what one is made of: a conversion, from which a number for each row or
 * group may be subtracted, and then multiplied by one.
 */
function quantizedRows(value: Arg | undefined, isTransposed: boolean, context: RewriteContext): Quantized | null {
  if (context.tensor(value)?.dtype !== "float32") return null;
  let scale: Arg | undefined;
  let zero: Arg | undefined;
  for (let at = value, flips = isTransposed; ; ) {
    const node = context.definition(at);
    const dtype = context.tensor(at)?.dtype;
    let next = node && argOf(node, "self");
    if (node !== undefined && isTransposition(node)) flips = !flips;
    else if (node !== undefined && !flips && isReshape(node) && haveSameRows(at, next, context)) {
      // The groups of a row may be a dimension of their own.
    } else if (dtype === "int8") {
      return flips || !haveGroups([scale, zero], at, context) ? null : { weight: at!, scale, zero };
    } else if (node === undefined || dtype !== "float32") return null;
    else if (isConversion(node)) {
      // To float32, of which there is one.
    } else if (flips) return null;
    else if (node.op === "aten::mul.Tensor" && scale === undefined && zero === undefined) {
      const other = argOf(node, "other");
      [scale, next] = isQparams(other, next, context) ? [other, next] : [next, other];
      if (!isQparams(scale, next, context)) return null;
    } else if (node.op === "aten::sub.Tensor" && zero === undefined && (numberOf(argOf(node, "alpha")) ?? 1) === 1) {
      zero = argOf(node, "other");
      if (!isQparams(zero, next, context)) return null;
    } else return scale === undefined && zero === undefined ? dequantized(node, context) : null;
    at = next;
  }
}

function haveSameRows(a: Arg | undefined, b: Arg | undefined, context: RewriteContext): boolean {
  const [rows, others] = [a, b].map((arg) => knownShape(context.tensor(arg))?.[0]);
  return rows !== undefined && rows === others;
}

/** Whether `qparams` has one number for each row of `value`, or each row and group of columns. */
function isQparams(qparams: Arg | undefined, value: Arg | undefined, context: RewriteContext): boolean {
  const [given, shape] = [knownShape(context.tensor(qparams)), knownShape(context.tensor(value))];
  if (given === undefined || shape === undefined || shape.length < 2 || shape.length > 3) return false;
  return shape.at(-1)! > 1 && given.join() === String(shape.with(-1, 1));
}

/** Whether all numbers are for the same groups of a matrix's columns. */
function haveGroups(qparams: readonly (Arg | undefined)[], matrix: Arg | undefined, context: RewriteContext): boolean {
  const [rows, columns] = knownShape(context.tensor(matrix)) ?? [];
  if (!rows || !columns) return false;
  const counts = qparams.flatMap((arg) => (arg === undefined ? [] : numel(knownShape(context.tensor(arg))!) / rows));
  return counts.every((count) => count === counts[0] && isGroup(columns / count, columns));
}

function dequantized(node: Node, context: RewriteContext): Quantized | null {
  const weight = argOf(node, "input")!;
  if (node.op === "torchao::dequantize_affine") {
    const [columns, block] = [knownShape(context.tensor(weight))?.[1], intsOf(argOf(node, "block_size"))];
    if (columns === undefined || block?.[0] !== 1 || !isGroup(block[1]!, columns)) return null;
    return { weight, scale: argOf(node, "scale"), zero: given(node, "zero_point") };
  }
  const axis = node.op === "quantized_decomposed::dequantize_per_channel" ? argOf(node, "axis") : undefined;
  if (axis?.kind !== "int" || Number(axis.value) !== 0) return null;
  return { weight, scale: argOf(node, "scales"), zero: given(node, "zero_points") };
}

/** Whether groups of so many columns divide rows, and pairs of neighbors are in one group. */
function isGroup(size: number, columns: number): boolean {
  return size === columns || (size > 0 && size % 2 === 0 && columns % size === 0);
}

function isReshape({ op }: Node): boolean {
  return op === "aten::reshape" || op === "aten::view" || op === "aten::_unsafe_view";
}

function isConversion({ op }: Node): boolean {
  return op === "aten::to.dtype" || op === "aten::_to_copy";
}

function isTransposition(node: Node): boolean {
  if (node.op === "aten::t") return true;
  const dims = node.op === "aten::permute" ? intsOf(argOf(node, "dims")) : undefined;
  return dims?.join() === "1,0";
}
