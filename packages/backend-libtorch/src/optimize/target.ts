import type { Node, OpName } from "@pt2/graph";
import type { OpEffects, OpRegistry } from "@pt2/registry";

/** What the passes may count on. */
export interface OptimizeTarget {
  /** Dtype that weights of products and convolutions may be kept in. @default as in the file */
  readonly weights?: "bfloat16" | undefined;
  /** Whether libtorch, as it was built and on this device, runs an op. */
  has(op: OpName): boolean;
  /** Whether somebody asked to run an op himself: such a node stays as it is. */
  isClaimed(op: OpName): boolean;
  /** What an op writes to and aliases; undefined where nothing is known of it. */
  effectsOf(op: OpName): OpEffects | undefined;
  /** Whether a node only computes its results, the same ones each time. */
  isPure(node: Node): boolean;
}

/** Ops that only passes emit. They write nothing, and the same arguments give the same results. */
export function isOwnOp(op: OpName): boolean {
  return op.startsWith("mkldnn::") || op.startsWith("pt2::");
}

/** Whether an op that is given no tensor makes one whose elements are known. */
export function isFactory(op: OpName): boolean {
  return op.startsWith("aten::") && !/^aten::_?empty/.test(op);
}

/** Ops of PyTorch that passes emit. A registry that was made for a program need not have their records. */
const EMITTED: ReadonlySet<OpName> = new Set(
  [
    ...["add.Scalar", "add.Tensor", "sub.Tensor", "mul.Tensor", "neg", "rsqrt", "gelu", "full", "to.dtype"],
    ...["reshape", "t", "transpose.int", "permute", "expand", "contiguous", "clone"],
    ...["linear", "matmul", "conv2d", "batch_norm", "layer_norm"],
    ...["softmax.int", "_safe_softmax", "silu", "hardswish", "hardsigmoid"],
  ].map((name) => `aten::${name}`),
);

/** Purity as records tell it; of an op without a record nothing is assumed. */
export function purity(registry: OpRegistry): OptimizeTarget["isPure"] {
  const known = new Map<OpName, boolean>();
  const isPure = (op: OpName): boolean => {
    if (EMITTED.has(op)) return true;
    const record = registry.resolve(op);
    if (record === undefined || record.impure === true) return false;
    return record.schema.returns.length > 0 && registry.effectsOf(op)?.mutates.length === 0;
  };
  return ({ op }) => {
    const answer = known.get(op) ?? isPure(op);
    known.set(op, answer);
    return answer;
  };
}
