import { argsOf, intArg, intsArg, numberOf, type RewriteRule, resultType, rewrite } from "@pt2/engine/rewrites";
import { normalDim } from "@pt2/format";
import { argOf, type OpName, type Program, type TensorType } from "@pt2/graph";
import { isChannelsLastSource } from "./restore-layouts.ts";
import type { OptimizeTarget } from "./target.ts";

const OPS: readonly OpName[] = ["aten::softmax.int", "aten::log_softmax.int"];

/**
 * Computes softmax over sides of images and over steps of sequences in the order in which convolutions leave them: ATen
 * brings channels together first, and what is computed of its result and of other images would read two orders.
 */
export function lowerSoftmax(program: Program, target: OptimizeTarget): Program {
  return rewrite(program, new Map(OPS.map((op) => [op, RULE])), target);
}

const RULE: RewriteRule = (node, context) => {
  const self = argOf(node, "self");
  const [type, result] = [context.tensor(self), resultType(node, context)];
  const [rank, given] = [type?.shape.length ?? 0, numberOf(argOf(node, "dim"))];
  const dim = given === undefined ? -1 : normalDim(given, rank);
  if (rank < 3 || dim < 2 || result === undefined || !isChannelsLastSource(context.definition(self)?.op ?? ""))
    return null;
  const last = [0, ...Array.from({ length: rank - 2 }, (_, i) => i + 2), 1];
  const permuted = (of: TensorType, dims: readonly number[]): TensorType => ({
    ...of,
    shape: dims.map((d) => of.shape[d]!),
    strides: dims.map((d) => of.strides[d]!),
  });
  const moved = permuted(result, last);
  const x = context.emit("aten::permute", { self, dims: intsArg(last) }, permuted(type!, last), node);
  const y = context.emit(node.op, { ...argsOf(node), self: x, dim: intArg(dim - 1) }, moved, node);
  return context.emit("aten::permute", { self: y, dims: intsArg(last.map((_, d) => last.indexOf(d))) }, result, node);
};
