import { argOf } from "@pt2/graph";
import { argsOf, type RewriteRule } from "./rewriter.ts";
import { resultType } from "./types.ts";

/** max_pool2d_with_indices(x) = max_pool2d(x), where nothing reads the indices. */
export const maxPool: RewriteRule = (node, context) => {
  const type = resultType(node, context);
  // Only a batch of float32 images has kernels that are worth it.
  if (type?.dtype !== "float32" || context.tensor(argOf(node, "self"))?.shape.length !== 4) return null;
  const args = argsOf(node);
  return context.emit("aten::max_pool2d", args, type, node);
};
