import { given, intsOf, NONE, type RewriteRule, rewrite } from "@pt2/engine/rewrites";
import { argOf, type Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Lowers normalizations over the last dimension to this package's kernel, whose calls cost less. */
export function lowerLayerNorms(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::layer_norm")) return program;
  return rewrite(program, new Map([["aten::layer_norm", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const x = argOf(node, "input")!;
  const type = context.tensor(x);
  if (type?.dtype !== "float32" || intsOf(argOf(node, "normalized_shape"))?.length !== 1) return null;
  // A node that PyTorch refuses stays as it is; a size that the file does not know is the one that it was exported
  // with.
  const [last, normalized] = [type.shape.at(-1), intsOf(argOf(node, "normalized_shape"))![0]];
  if (typeof last === "number" && last !== normalized) return null;
  const [weight, bias] = [given(node, "weight"), given(node, "bias")];
  if ([weight, bias].some((arg) => arg !== undefined && context.tensor(arg)?.dtype !== "float32")) return null;
  const eps = argOf(node, "eps") ?? { kind: "float", value: 1e-5 };
  return context.emit("pt2::layer_norm", { x, weight: weight ?? NONE, bias: bias ?? NONE, eps }, type, node);
};
