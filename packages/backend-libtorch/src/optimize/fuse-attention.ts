import {
  floatArg,
  given,
  haveSameHeads,
  haveSharedHeads,
  isTrue,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
  sharedHeads,
  withHeads,
  withHeadsType,
  withoutHeads,
  writtenAttention,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName, type Program, type TensorType } from "@pt2/graph";
import { joinedLead, joinLead, leadOf, splitLead } from "./attention-lead.ts";
import type { OptimizeTarget } from "./target.ts";

/** Replaces attention, as an op or written out as softmax(q k^T scale + mask) v, by this package's kernel. */
export function fuseAttention(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::attention")) return program;
  const rules = new Map([
    ["aten::scaled_dot_product_attention", named],
    ["aten::matmul", written],
    ["aten::bmm", written],
  ]);
  return rewrite(program, rules, target);
}

const named: RewriteRule = (node, context) => {
  const query = argOf(node, "query");
  const lead = leadOf(query, context);
  const isOfOneHead = context.tensor(query)?.shape.length === 3;
  const operand = (name: string): Arg | null => {
    const value = given(node, name) ?? NONE;
    return isOfOneHead ? withHeads(value, node, context) : joinLead(value, lead, node, context);
  };
  const [q, k, v, mask] = [operand("query"), operand("key"), operand("value"), operand("attn_mask")];
  if (q === null || k === null || v === null || mask === null) return null;
  if ((numberOf(argOf(node, "dropout_p")) ?? 0) !== 0) return null;
  const dtype = context.tensor(mask)?.dtype;
  if (mask.kind !== "none" && dtype !== "bool" && dtype !== "float32") return null;
  const isShared = isTrue(argOf(node, "enable_gqa"));
  if (!(isShared ? haveSharedHeads(q, k, v, context) : haveSameHeads(q, k, v, context))) return null;
  const is_causal = argOf(node, "is_causal") ?? boolArg(false);
  const scale = given(node, "scale") ?? NONE;
  const attention = { q, k, v, mask, is_causal, scale, safe_softmax: boolArg(true), mask_fills: boolArg(false) };
  const result = resultType(node, context);
  const computed = fused(node, attention, joinedLead(withHeadsType(result), lead), context);
  return withoutHeads(splitLead(computed, lead, node, context), result, node, context);
};

const SOFTMAX: ReadonlySet<OpName> = new Set(["aten::softmax.int", "aten::_safe_softmax"]);

const written: RewriteRule = (node, context) => {
  const found = writtenAttention(node, SOFTMAX, context);
  if (found === null) return null;
  const { q, k, v, mask = NONE, scale } = found;
  const options = {
    is_causal: boolArg(false),
    scale: floatArg(scale),
    safe_softmax: boolArg(found.softmax === "aten::_safe_softmax"),
    mask_fills: boolArg(found.fills),
  };
  return found.resultOf(fused(node, { q, k, v, mask, ...options }, found.type, context));
};

function boolArg(value: boolean): Arg {
  return { kind: "bool", value };
}

type AttentionArgs = Readonly<
  Record<"q" | "k" | "v" | "mask" | "is_causal" | "scale" | "safe_softmax" | "mask_fills", Arg>
>;

/** Emits the kernel, which reads keys and values as they were before they were repeated for heads that share them. */
function fused(node: Node, args: AttentionArgs, type: TensorType | undefined, context: RewriteContext): Arg {
  const [k, v] = stored(args.k, args.v, context);
  const { key, value } = sharedHeads(args.q, k, v, context) ?? { key: k, value: v };
  const [own, ownValue] = stored(key, value, context);
  return context.emit("pt2::attention", { ...args, k: own, v: ownValue }, type, node);
}

/** Keys and values before both were converted from one dtype of half precision: the kernel does so as it reads them. */
function stored(k: Arg, v: Arg, context: RewriteContext): readonly [Arg, Arg] {
  const [key, value] = [k, v].map((arg) => {
    const before = context.definition(arg);
    return before?.op === "aten::to.dtype" ? argOf(before, "self") : undefined;
  });
  const [dtype, other] = [key, value].map((arg) => context.tensor(arg)?.dtype);
  const isHalf = dtype === other && (dtype === "float16" || dtype === "bfloat16");
  return isHalf ? [key!, value!] : [k, v];
}
