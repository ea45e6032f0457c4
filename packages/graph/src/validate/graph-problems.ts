import type { Graph, Node } from "../ir.ts";
import { parseOpName } from "../op-name.ts";
import { definitionsOf, graphsOf, usesOf, valuesOf } from "../query/node-values.ts";
import { operandProblems } from "./operand-problems.ts";
import type { Problem, ProblemCode } from "./problem.ts";

/** Checks one graph and those nested in it. */
export function graphProblems(graph: Graph, path = ""): readonly Problem[] {
  return new GraphChecker(graph, path).problems();
}

class GraphChecker {
  readonly #graph: Graph;
  readonly #path: string;
  readonly #problems: Problem[] = [];
  readonly #defined = new Set<string>();

  constructor(graph: Graph, path: string) {
    this.#graph = graph;
    this.#path = path;
  }

  problems(): readonly Problem[] {
    const { inputs, nodes, outputs, values } = this.#graph;
    for (const input of inputs) if (input !== null) this.#define(input, "the inputs");
    const names = new Set<string>();
    for (const node of nodes) {
      if (names.has(node.name)) this.#report("duplicate-node", `the name \`${node.name}\` is taken`, node.name);
      names.add(node.name);
      this.#node(node);
    }
    for (const name of outputs.flatMap(valuesOf)) this.#use(name, "the results");
    for (const name of values.keys()) {
      if (!this.#defined.has(name)) this.#report("orphan-type", `\`%${name}\` has a type and no definition`, name);
    }
    return this.#problems;
  }

  #node(node: Node): void {
    for (const name of usesOf(node)) this.#use(name, node.name);
    this.#checkName(node);
    const args = node.args.map(({ name }) => name).filter((name) => name !== "");
    const repeated = args.find((name, i) => args.indexOf(name) !== i);
    if (repeated !== undefined) this.#report("duplicate-argument", `\`${repeated}\` is given twice`, node.name);
    for (const nested of graphsOf(node)) {
      this.#problems.push(...graphProblems(nested.graph, this.#at(`${node.name}.${nested.name}`)));
    }
    for (const message of operandProblems(node)) this.#report("operands", message, node.name);
    for (const name of definitionsOf(node)) this.#define(name, node.name);
  }

  #checkName({ op, name }: Node): void {
    try {
      if (parseOpName(op) === op) return;
    } catch {
      // Reported below.
    }
    this.#report("op-name", `\`${op}\` is not a canonical name such as \`aten::add.Tensor\``, name);
  }

  #use(name: string, where: string): void {
    if (!this.#defined.has(name)) this.#report("undefined-value", `\`%${name}\` is not defined here`, where);
  }

  #define(name: string, where: string): void {
    if (this.#defined.has(name)) this.#report("duplicate-definition", `\`%${name}\` is already defined`, where);
    this.#defined.add(name);
    const type = this.#graph.values.get(name);
    if (type === undefined) this.#report("untyped-value", `\`%${name}\` has no type`, where);
    if (type?.kind === "tensor" && type.shape.length !== type.strides.length) {
      this.#report("rank", `\`%${name}\`: ${type.shape.length} sizes, ${type.strides.length} strides`, where);
    }
  }

  #report(code: ProblemCode, message: string, where: string): void {
    this.#problems.push({ code, message, where: this.#at(where) });
  }

  #at(where: string): string {
    return this.#path === "" ? where : `${this.#path}/${where}`;
  }
}
