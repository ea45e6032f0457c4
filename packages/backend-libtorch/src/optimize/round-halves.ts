import { type RewriteRule, rewrite } from "@pt2/engine/rewrites";
import { argOf, type Node, type OpName, type Program } from "@pt2/graph";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { OptimizeTarget } from "./target.ts";

/** Rounds numbers in float32 to half precision. */
const ROUND: OpName = "pt2::round";

/**
 * Makes one step of pairs of conversions, from float32 to half precision and back: elementwise, in float32, so that it
 * joins with those around it.
 */
export function roundHalves(program: Program, target: OptimizeTarget): Program {
  return target.has(ROUND) ? rewrite(program, new Map([["aten::to.dtype", RULE]]), target) : program;
}

const RULE: RewriteRule = (node, context) => {
  const [half, output] = [argOf(node, "self"), node.outputs[0]];
  const before = context.definition(half);
  const x = before?.op === "aten::to.dtype" ? argOf(before, "self") : undefined;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  const dtype = context.tensor(half)?.dtype;
  if (type?.dtype !== "float32" || context.tensor(x)?.dtype !== "float32") return null;
  if (dtype !== "float16" && dtype !== "bfloat16") return null;
  return context.emit(ROUND, { x, dtype: { kind: "dtype", value: dtype } }, type, node);
};

/** Returns what a rounding computes of its operand; null for other nodes. */
export function roundingOf(node: Node): TypedExpr | null {
  const dtype = node.op === ROUND ? argOf(node, "dtype") : undefined;
  if (dtype?.kind !== "dtype") return null;
  const x: TypedExpr = { kind: "input", dtype: "float32", index: 0 };
  return { kind: "cast", dtype: "float32", x: { kind: "cast", dtype: dtype.value, x } };
}
