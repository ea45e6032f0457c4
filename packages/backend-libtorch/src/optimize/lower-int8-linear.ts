import {
  argsOf,
  keepInt8,
  type NewArgs,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import type { Arg, Node, OpName, Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Linear layers on an int8 weight become this package's op, which takes scales and zero points in float32. */
export function lowerInt8Linears(program: Program, target: OptimizeTarget): Program {
  const kept = keepInt8(program, target);
  return kept === program ? program : rewrite(kept, new Map([["pt2::linear_int8", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const args = argsOf(node);
  const { scale, zero_point } = args;
  const isFloat = context.tensor(scale)?.dtype === "float32";
  const floats = isFloat ? scale : inFloats(scale, "aten::to.dtype", { self: scale, dtype: FLOAT32 }, node, context);
  const zeros = inFloats(zero_point, "pt2::pack_zero_points", { zero_point }, node, context);
  return context.emit(node.op, { ...args, scale: floats, zero_point: zeros }, resultType(node, context), node);
};

const FLOAT32: Arg = { kind: "dtype", value: "float32" };

/** Numbers that an op makes floats of, at load. */
function inFloats(
  given: Arg | undefined,
  op: OpName,
  args: NewArgs,
  like: Node,
  context: RewriteContext,
): Arg | undefined {
  const type = context.tensor(given);
  return type === undefined ? given : context.emit(op, args, { ...type, dtype: "float32" }, like);
}
