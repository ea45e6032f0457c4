import { purity, type WideningTarget } from "@pt2/engine/rewrites";
import type { OpName } from "@pt2/graph";
import type { OpEffects } from "@pt2/graph/passes";
import type { OpRecord, OpRegistry } from "@pt2/registry";

/** What the passes know of the device. `has` tells whether this build of libtorch runs an op on it. */
export interface OptimizeTarget extends WideningTarget {
  /** The dtype in which weights of products and convolutions may be kept. @default as in the file */
  readonly weights?: "bfloat16" | undefined;
  /** Returns what an op writes to and aliases; undefined where that is unknown. */
  effectsOf(op: OpName): OpEffects | undefined;
  /** Returns what an op means, if the program's registry has it. */
  recordOf(op: OpName): OpRecord | undefined;
}

/** Returns whether only passes emit an op. Such ops write nothing, and the same arguments give the same results. */
export function isOwnOp(op: OpName): boolean {
  return op.startsWith("mkldnn::") || op.startsWith("pt2::");
}

/** Tells purity by the op definitions, and for the ops that only passes emit. */
export function purityWithOwnOps(registry: OpRegistry): OptimizeTarget["isPure"] {
  const isPure = purity(registry);
  return (node) => isOwnOp(node.op) || isPure(node);
}
