import { requireArgument } from "@pt2/format/options";
import type { Graph, Program } from "../ir.ts";

/** Throws an error with this code for what is no program. That it is a valid one, `validate` finds. */
export function requireProgram(of: string, program: unknown, code = "graph.options"): asserts program is Program {
  requireArgument(
    ...([of, "program", program, "{ graph, inputs, outputs }", code] as const),
    "pass the `program` of `await openProgram(file)`",
  );
}

/** Throws for what is no graph. */
export function requireGraph(of: string, graph: unknown): asserts graph is Graph {
  requireArgument(of, "graph", graph, "{ nodes, inputs, outputs, values }", "graph.options");
}

/** Throws for what is neither a program nor a graph. */
export function requireSubject(of: string, subject: unknown): asserts subject is Program | Graph {
  if (!Array.isArray(Object(subject).nodes)) requireProgram(of, subject);
}
