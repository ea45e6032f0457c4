import type { Node, OpName } from "@pt2/graph";
import { hiddenWrites } from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";

/** What rewrites may assume of the backend that runs the program. */
export interface RewriteTarget {
  /** Whether the backend has a kernel of its own for an op, so that a rewrite to this op pays. */
  has(op: OpName): boolean;
  /** Whether the user asked to run an op himself: such a node stays as it is. */
  isClaimed(op: OpName): boolean;
  /** Whether a node only computes its results, the same ones each time. */
  isPure(node: Node): boolean;
}

/** Whether an op that is given no tensor makes one whose elements are known. */
export function isFactory(op: OpName): boolean {
  return op.startsWith("aten::") && !/^aten::_?empty/.test(op);
}

/** ATen ops that rewrites emit. A registry that was made for a program need not have their records. */
const EMITTED: ReadonlySet<OpName> = new Set(
  [
    ...["add.Scalar", "add.Tensor", "sub.Tensor", "mul.Tensor", "mul.Scalar", "neg", "sqrt", "rsqrt"],
    ...["gelu", "full", "to.dtype"],
    ...["reshape", "t", "transpose.int", "permute", "expand", "contiguous", "clone"],
    ...["select.int", "constant_pad_nd", "diag_embed", "zeros_like"],
    ...["linear", "matmul", "conv2d", "max_pool2d", "batch_norm", "layer_norm"],
    ...["softmax.int", "_safe_softmax", "silu", "hardswish", "hardsigmoid"],
  ].map((name) => `aten::${name}`),
);

/** Purity as records tell it; an op without a record is assumed to be impure. */
export function purity(registry: OpRegistry): RewriteTarget["isPure"] {
  const known = new Map<OpName, boolean>();
  const isPure = (op: OpName): boolean => {
    if (EMITTED.has(op)) return true;
    const record = registry.resolve(op);
    if (record === undefined || record.impure === true) return false;
    return record.schema.returns.length > 0 && registry.effectsOf(op)?.mutates.length === 0;
  };
  return (node) => {
    const answer = known.get(node.op) ?? isPure(node.op);
    known.set(node.op, answer);
    return answer && hiddenWrites(node).length === 0;
  };
}
