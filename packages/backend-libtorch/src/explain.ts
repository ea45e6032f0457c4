import { type Graph, graphsOf } from "@pt2/graph";
import type { CompiledProgram } from "./compile-program.ts";
import type { Route } from "./routes.ts";

const HOW: { readonly [K in Route["kind"]]: string } = {
  op: "",
  scalar: " (interpreter)",
  control: " (interpreter, with its graphs)",
  handler: " (handler in JavaScript)",
  kernel: " (kernel of an op package)",
  expand: " (expanded when its sizes are known)",
  missing: " (no kernel)",
};

/** Describes a program after the passes in one line per node: its name, its op and what runs it. `more` are notes of its runs. */
export function explain({ program, hosts, notes, writes }: CompiledProgram, more: readonly string[] = []): string {
  const { device, router } = hosts;
  const lines = [`# ${device}: ${program.graph.nodes.length} nodes`, ...[...notes, ...more].map((note) => `# ${note}`)];
  if (writes) lines.push("# writes its buffers: runs follow each other");
  const enter = (graph: Graph, indent: string): void => {
    for (const node of graph.nodes) {
      lines.push(`${indent}${node.name}: ${node.op}${HOW[router.routeOf(node).kind]}`);
      for (const nested of graphsOf(node)) enter(nested.graph, `${indent}  `);
    }
  };
  enter(program.graph, "");
  return lines.join("\n");
}
