import { purity, type RewriteTarget } from "@pt2/engine/rewrites";
import type { OpName } from "@pt2/graph";
import type { OpEffects, OpRegistry } from "@pt2/registry";

/** What the passes may count on. `has` tells whether this build of libtorch runs an op on this device. */
export interface OptimizeTarget extends RewriteTarget {
  /** Dtype that weights of products and convolutions may be kept in. @default as in the file */
  readonly weights?: "bfloat16" | undefined;
  /** What an op writes to and aliases; undefined where nothing is known of it. */
  effectsOf(op: OpName): OpEffects | undefined;
}

/** Ops that only passes emit. They write nothing, and the same arguments give the same results. */
export function isOwnOp(op: OpName): boolean {
  return op.startsWith("mkldnn::") || op.startsWith("pt2::");
}

/** Purity by the op definitions, and of the ops that only passes emit. */
export function purityWithOwnOps(registry: OpRegistry): OptimizeTarget["isPure"] {
  const isPure = purity(registry);
  return (node) => isOwnOp(node.op) || isPure(node);
}
