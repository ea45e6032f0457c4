import { normalDim } from "@pt2/format";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { intArg, numberOf } from "./literals.ts";
import { type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { resultType } from "./types.ts";

/** A `cat` that was seen: what it joins, and its result as rewritten. */
interface Seen {
  readonly tensors: readonly string[];
  readonly result: Arg;
}

/**
 * cat(a, b, c) behind cat(a, b) = cat(cat(a, b), c), as in DenseNets, where each layer reads all before it: what has been joined
 * is not joined again, and may lie in the next whole from the beginning.
 */
export function nestCats(program: Program, target: RewriteTarget): Program {
  const seen = new Map<string, Seen>();
  const rule: RewriteRule = (node, context) => nested(node, seen, context);
  return rewrite(program, new Map([["aten::cat", rule]]), target);
}

function nested(node: Node, seen: Map<string, Seen>, context: RewriteContext): Arg | null {
  const [type, joined] = [resultType(node, context), argOf(node, "tensors")];
  const dim = numberOf(argOf(node, "dim") ?? intArg(0));
  const [output] = node.outputs;
  if (type === undefined || dim === undefined || output?.kind !== "value" || joined?.kind !== "list") return null;
  const { items } = joined;
  const tensors = items.map((item) => (item.kind === "value" ? item.name : ""));
  // What is converted twice may be rounded twice, and an empty operand of one dimension may stand for one of any rank.
  const isAlike = (item: Arg): boolean => {
    const operand = context.tensor(item);
    return operand?.dtype === type.dtype && operand.shape.length === type.shape.length;
  };
  if (!items.every(isAlike)) return null;
  const along = normalDim(dim, type.shape.length);
  const key = `${along} ${tensors[0]}`;
  const before = seen.get(key);
  const isFirst = before?.tensors.every((name, i) => name === tensors[i]) ?? false;
  const rest = items.slice(before?.tensors.length);
  const result =
    before !== undefined && isFirst && before.tensors.length > 1 && rest.length > 0
      ? context.emit(
          "aten::cat",
          { tensors: { kind: "list", items: [before.result, ...rest] }, dim: intArg(along) },
          type,
          node,
        )
      : null;
  seen.set(key, { tensors, result: result ?? { kind: "value", name: output.name } });
  return result;
}
