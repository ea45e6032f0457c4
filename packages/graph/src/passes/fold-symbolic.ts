import type { Arg, Graph, Node, Program, ValueType } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { toExpr } from "../sym/make-expr.ts";
import { isLiteral, simplify } from "../sym/simplify-expr.ts";
import type { SymExpr } from "../sym/sym-expr.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { Substitution } from "./substitution.ts";
import { isSymbolic, symbolicResult } from "./symbolic-ops.ts";

/**
 * Replaces known sizes by literals: `_operator` nodes with constant operands, `sym_size` of a fixed dimension, and
 * results that the file records as constant. A node with other results is kept, and only its uses change.
 */
export function foldSymbolicArithmetic(program: Program): Program {
  const graph = foldGraph(program.graph);
  return graph === program.graph ? program : { ...program, graph };
}

function foldGraph(graph: Graph): Graph {
  const builder = new GraphBuilder(graph);
  const known = new Substitution();
  let changed = false;
  for (const node of graph.nodes) {
    const current = mapGraphs(known.node(node), foldGraph);
    changed ||= current !== node;
    const removable = foldNode(current, builder, known);
    changed ||= removable;
    if (!removable) builder.push(current);
  }
  return changed || known.size > 0 ? builder.build(graph.outputs.map((arg) => known.arg(arg))) : graph;
}

/** Records the known results of a node; returns whether the node can be removed. */
function foldNode(node: Node, builder: GraphBuilder, known: Substitution): boolean {
  const computed = isSymbolic(node.op) ? symbolicResult(node, builder) : null;
  let folded = 0;
  for (const output of node.outputs) {
    if (output.kind !== "value") continue;
    const type = builder.typeOf(output.name);
    const literal = literalArg(type, computed);
    if (literal === null) continue;
    known.set(output.name, literal);
    folded++;
  }
  return isSymbolic(node.op) && folded > 0 && folded === node.outputs.length;
}

function literalArg(type: ValueType | undefined, computed: SymExpr | null): Arg | null {
  if (type === undefined || type.kind === "tensor" || type.kind === "object") return null;
  const recorded = type.value === null ? null : simplify(toExpr(type.value));
  const expr = recorded !== null && isLiteral(recorded) ? recorded : computed === null ? null : simplify(computed);
  if (expr === null || !isLiteral(expr)) return null;
  if (expr.kind === "bool") return type.kind === "symbool" ? { kind: "bool", value: expr.value } : null;
  const number = expr.kind === "call" ? expr.args[0] : expr;
  if (number?.kind !== "number") return null;
  if (type.kind === "symfloat") return { kind: "float", value: Number(number.value) };
  return type.kind === "symint" && expr.kind === "number" ? { kind: "int", value: number.value } : null;
}
