import { argOf, type Node, type Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Lowers `topk` of float32 to this package's kernel, which has the same arguments and results. */
export function lowerTopk(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  const isFloat = (node: Node): boolean => {
    const self = argOf(node, "self");
    const type = self?.kind === "value" ? graph.values.get(self.name) : undefined;
    return type?.kind === "tensor" && type.dtype === "float32";
  };
  const isLowered = (node: Node): boolean => node.op === "aten::topk" && isFloat(node);
  if (!target.has("pt2::topk") || target.isClaimed("aten::topk") || !graph.nodes.some(isLowered)) return program;
  const nodes = graph.nodes.map((node): Node => {
    if (!isLowered(node)) return node;
    const { op, name, origin } = node;
    return { ...node, op: "pt2::topk", origin: { ...origin, joined: origin.joined ?? [{ op, name }] } };
  });
  return { ...program, graph: { ...graph, nodes } };
}
