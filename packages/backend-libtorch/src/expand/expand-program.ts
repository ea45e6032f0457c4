import type { Arg, Graph, Node, Program } from "@pt2/graph";
import { definitionsOf } from "@pt2/graph";
import { GraphBuilder, mapGraphs, renameOutput, Substitution } from "@pt2/graph/passes";
import type { Router } from "../routes.ts";
import { type Expansion, expandOp } from "./expand-op.ts";
import { staticOperands } from "./static-operands.ts";

/**
 * Expands the nodes whose ops libtorch does not have, where all sizes are known at load, those of results too. The
 * other ones are expanded when they run.
 */
export function expandProgram(program: Program, router: Router): Program {
  const graph = expanded(program.graph, router);
  return graph === program.graph ? program : { ...program, graph };
}

function expanded(graph: Graph, router: Router): Graph {
  const builder = new GraphBuilder(graph);
  const replaced = new Substitution();
  let changed = false;
  for (const original of graph.nodes) {
    const node = mapGraphs(replaced.node(original), (nested) => expanded(nested, router));
    changed ||= node !== original;
    const isStatic = router.routeOf(node).kind === "expand" && router.registry.resolve(node.op)?.dynamic === undefined;
    const operands = isStatic ? staticOperands(node, (name) => builder.typeOf(name)) : null;
    if (operands === null) {
      builder.push(node);
      continue;
    }
    changed = true;
    insert(
      node,
      expandOp(node, operands, router, graph.values),
      (each) => builder.push(router.markExpanded(each)),
      builder,
      replaced,
    );
  }
  return changed ? builder.build(graph.outputs.map((arg) => replaced.arg(arg))) : graph;
}

/** Replaces a node by its expansion, under names that the graph does not have. */
function insert(
  node: Node,
  { nodes, types, results }: Expansion,
  push: (node: Node) => void,
  builder: GraphBuilder,
  replaced: Substitution,
): void {
  const renamed = new Substitution();
  const fresh = (name: string): string => {
    const unique = builder.fresh(name);
    renamed.bind(name, { kind: "value", name: unique });
    builder.setType(unique, types.get(name));
    return unique;
  };
  for (const each of nodes) {
    const args = renamed.node(each).args;
    const names = new Map(definitionsOf(each).map((name) => [name, fresh(name)]));
    const outputs = each.outputs.map((output) => renameOutput(output, (name) => names.get(name)!));
    push({ ...each, name: names.get(each.name) ?? builder.fresh(each.name), args, outputs });
  }
  node.outputs.forEach((output, i) => {
    const result = renamed.arg(results[i] ?? { kind: "none" });
    if (output.kind === "value") replaced.set(output.name, result);
    if (output.kind !== "list") return;
    for (const [k, name] of output.names.entries()) replaced.set(name, itemOf(result, k));
  });
}

function itemOf(arg: Arg, index: number): Arg {
  return (arg.kind === "list" ? arg.items[index] : undefined) ?? { kind: "none" };
}
