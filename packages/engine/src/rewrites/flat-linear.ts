import { argOf, type Program } from "@pt2/graph";
import { NONE } from "./literals.ts";
import { given, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { isSameShape, resultType } from "./types.ts";

/** reshape(linear(reshape(x))) = linear(x), where the reshapes only flatten leading dimensions and bring them back. */
export function unflattenLinears(program: Program, target: RewriteTarget): Program {
  return rewrite(program, new Map([["aten::reshape", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const flat = argOf(node, "self");
  const linear = context.definition(flat);
  if (linear?.op !== "aten::linear" || !context.isReadOnce(flat)) return null;
  const before = context.definition(argOf(linear, "input"));
  if (before?.op !== "aten::reshape") return null;
  const input = argOf(before, "self");
  const [from, to] = [context.tensor(input)?.shape, resultType(node, context)?.shape];
  const features = context.tensor(flat)?.shape.at(-1);
  if (from === undefined || to === undefined || from.length !== to.length || to.at(-1) !== features) return null;
  if (typeof features !== "number" || from.at(-1) !== context.tensor(argOf(linear, "weight"))?.shape[1]) return null;
  if (!isSameShape(from.slice(0, -1), to.slice(0, -1))) return null;
  const args = { input, weight: argOf(linear, "weight"), bias: given(linear, "bias") ?? NONE };
  return context.emit("aten::linear", args, resultType(node, context), linear);
};
