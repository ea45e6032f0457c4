import type { DType } from "@pt2/format";
import { type Arg, argOf, type OpName, type Program } from "@pt2/graph";
import { numberOf } from "./literals.ts";
import { argsOf, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { resultType } from "./types.ts";

const ATTENTION: OpName = "aten::scaled_dot_product_attention";
/** Attention in float32 to keys and values in half precision. */
const ATTENTION_HALF: OpName = "pt2::attention_half";
const CONVERSIONS: ReadonlySet<OpName> = new Set<OpName>(["aten::to.dtype", "aten::_to_copy"]);

/** Lets attention read keys and values as they are that become float32 for it, as those of a cache in half precision do. */
export function keepHalfKeys(program: Program, target: RewriteTarget): Program {
  return target.has(ATTENTION_HALF) ? rewrite(program, new Map([[ATTENTION, RULE]]), target) : program;
}

const RULE: RewriteRule = (node, context) => {
  const { dropout_p, ...args } = argsOf(node);
  const [key, value] = [args.key, args.value].map((arg) => halfOf(arg, context));
  if (key === undefined || value === undefined || dtypeOf(key, context) !== dtypeOf(value, context)) return null;
  if (dtypeOf(argOf(node, "query"), context) !== "float32" || (numberOf(dropout_p) ?? 0) !== 0) return null;
  return context.emit(ATTENTION_HALF, { ...args, key, value }, resultType(node, context), node);
};

/** What a float32 value was converted from, if that is in half precision. */
function halfOf(arg: Arg | undefined, context: RewriteContext): Arg | undefined {
  const made = context.definition(arg);
  if (made === undefined || !CONVERSIONS.has(made.op) || dtypeOf(arg, context) !== "float32") return undefined;
  const self = argOf(made, "self");
  const dtype = dtypeOf(self, context);
  return dtype === "float16" || dtype === "bfloat16" ? self : undefined;
}

function dtypeOf(arg: Arg | undefined, context: RewriteContext): DType | undefined {
  return context.tensor(arg)?.dtype;
}
