import { argOf, type Node, type Program } from "@pt2/graph";
import { NONE } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";

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
  const [from, to] = [context.tensor(input)?.shape, outputShape(node, context)];
  const features = context.tensor(flat)?.shape.at(-1);
  if (from === undefined || to === undefined || from.length !== to.length || to.at(-1) !== features) return null;
  if (typeof features !== "number" || from.at(-1) !== context.tensor(argOf(linear, "weight"))?.shape[1]) return null;
  if (!from.slice(0, -1).every((size, i) => same(size, to[i]))) return null;
  const [output] = node.outputs;
  return context.emit(
    "aten::linear",
    { input, weight: argOf(linear, "weight"), bias: given(linear, "bias") ?? NONE },
    output?.kind === "value" ? context.tensor({ kind: "value", name: output.name }) : undefined,
    linear,
  );
};

function outputShape(node: Node, context: RewriteContext): ReturnType<typeof shapeOf> {
  const [output] = node.outputs;
  return output?.kind === "value" ? shapeOf(output.name, context) : undefined;
}

function shapeOf(name: string, context: RewriteContext): readonly unknown[] | undefined {
  return context.tensor({ kind: "value", name })?.shape;
}

/** Equal numbers, or the very same symbol. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
