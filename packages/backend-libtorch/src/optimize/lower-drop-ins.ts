import type { DType } from "@pt2/format";
import { type Node, type OpName, type Program, usesOf } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Kernels of this package that have the arguments and the results of the ops that they stand for, and their dtypes. */
const DROP_INS: Readonly<Record<OpName, readonly [kernel: OpName, ...dtypes: DType[]]>> = {
  "aten::cat": ["pt2::cat", "float32", "float16", "bfloat16"],
  "aten::topk": ["pt2::topk", "float32"],
};

/** Lowers ops to kernels of this package where these differ in nothing but time. */
export function lowerDropIns(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  const kernelFor = (node: Node): OpName | null => {
    const [kernel, ...dtypes] = DROP_INS[node.op] ?? [];
    if (kernel === undefined || !target.has(kernel) || target.isClaimed(node.op)) return null;
    const types = usesOf(node).map((name) => graph.values.get(name));
    const tensors = types.filter((type) => type?.kind === "tensor");
    const isTaken = dtypes.some((taken) => tensors.every(({ dtype }) => dtype === taken));
    return tensors.length > 0 && isTaken ? kernel : null;
  };
  const kernels = graph.nodes.map(kernelFor);
  if (kernels.every((kernel) => kernel === null)) return program;
  const nodes = graph.nodes.map((node, i): Node => {
    const kernel = kernels[i];
    if (kernel == null) return node;
    const { op, name, origin } = node;
    return { ...node, op: kernel, origin: { ...origin, joined: origin.joined ?? [{ op, name }] } };
  });
  return { ...program, graph: { ...graph, nodes } };
}
