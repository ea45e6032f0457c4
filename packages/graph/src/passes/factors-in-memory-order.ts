import type { NamedArg, Node, OpName, TensorType } from "../ir.ts";
import { contiguousStrides, isContiguous } from "../strides.ts";
import type { GraphBuilder } from "./graph-builder.ts";

/** Determinants that also return the factors which their gradient solves with, and what computes them alone. */
const DETERMINANTS: ReadonlyMap<OpName, OpName> = new Map([
  ["aten::_linalg_det", "aten::linalg_det"],
  ["aten::_linalg_slogdet", "aten::linalg_slogdet"],
]);

const FACTORS: OpName = "aten::linalg_lu_factor_ex";

/** Returns whether a node factors a matrix as it lies in memory. */
export function factors({ op }: Node): boolean {
  return DETERMINANTS.has(op);
}

/**
 * Emits the factors of a matrix that is not contiguous in PyTorch's memory beside its determinant, where the node is one:
 * PyTorch factors such a matrix, and the transposed one where it is contiguous. Returns false for other nodes.
 */
export function factoredInOrder(node: Node, builder: GraphBuilder, type: TensorType | null): boolean {
  const alone = DETERMINANTS.get(node.op);
  if (alone === undefined || type === null || isContiguous(type)) return false;
  const [matrix] = node.args as readonly [NamedArg];
  const [results, kept] = [node.outputs.slice(0, -2), node.outputs.slice(-2)];
  builder.push({ ...node, op: alone, args: [{ name: "A", arg: matrix.arg }], outputs: results });
  const info = builder.fresh("info");
  const batch = { shape: type.shape.slice(0, -2), strides: contiguousStrides(type.shape.slice(0, -2)) };
  builder.setType(info, { ...type, ...batch, dtype: "int32", storageOffset: 0, requiresGrad: false });
  builder.push({
    name: builder.fresh("factors"),
    op: FACTORS,
    args: [{ name: "A", arg: matrix.arg }],
    outputs: [...kept, { kind: "value", name: info }],
    origin: node.origin,
  });
  return true;
}
