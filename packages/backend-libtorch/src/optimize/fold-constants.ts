import { fixedInputs, isFactory, knownShape } from "@pt2/engine/rewrites";
import { numel } from "@pt2/format";
import {
  type Arg,
  definitionsOf,
  graphsOf,
  type InputSpec,
  type Node,
  type Program,
  usesOf,
  type ValueType,
  valuesOf,
} from "@pt2/graph";
import type { Prologue } from "../optimized-program.ts";
import { isOwnOp, type OptimizeTarget } from "./target.ts";

/** A program whose nodes depend on inputs, and the program that computes the other nodes once. */
export interface FoldedProgram {
  readonly program: Program;
  readonly prologue: Prologue | null;
}

/** The most elements of a tensor that is stored although it depends on no weight. */
const LARGEST_MADE = 2 ** 22;

/** Moves every node that depends on nothing but fixed weights into a program that is run once. */
export function foldConstants(program: Program, target: OptimizeTarget): FoldedProgram {
  const { graph } = program;
  const weights = new Set(fixedInputs(program));
  const fixed = new Set(weights);
  const isFixed = (node: Node): boolean =>
    canFold(node, graph.values, target) && usesOf(node).every((n) => fixed.has(n));
  const folded: Node[] = [];
  const kept: Node[] = [];
  for (const node of graph.nodes) {
    (isFixed(node) ? folded : kept).push(node);
    if (folded.at(-1) === node) for (const name of definitionsOf(node)) fixed.add(name);
  }
  if (folded.length === 0) return { program, prologue: null };

  const made = new Set(folded.flatMap(definitionsOf));
  const read = new Set([...kept.flatMap(usesOf), ...graph.outputs.flatMap(valuesOf)]);
  const crossing = [...made].filter((name) => read.has(name));
  const targets = crossing.map((name) => `prologue.${name}`);
  const added = crossing.map((value, i): InputSpec => ({ kind: "tensor_constant", value, target: targets[i]! }));
  const main: Program = {
    ...program,
    graph: {
      ...graph,
      inputs: [...graph.inputs, ...crossing],
      nodes: kept,
      values: typesOf(graph.values, made, crossing),
    },
    inputs: [...program.inputs, ...added],
  };
  return { program: main, prologue: { program: prologueOf(program, folded, crossing), targets } };
}

function prologueOf(program: Program, nodes: readonly Node[], crossing: readonly string[]): Program {
  const { graph } = program;
  const used = new Set(nodes.flatMap(usesOf));
  const inputs = program.inputs.filter((spec) => "target" in spec && used.has(spec.value));
  const names = inputs.map((spec) => ("value" in spec ? spec.value : null));
  const defined = new Set([...names, ...nodes.flatMap(definitionsOf)]);
  return {
    ...program,
    graph: {
      inputs: names,
      nodes,
      outputs: crossing.map((name): Arg => ({ kind: "value", name })),
      values: new Map([...graph.values].filter(([name]) => defined.has(name))),
    },
    inputs,
    outputs: crossing.map(() => ({ kind: "user_output" })),
    ranges: new Map(),
    inSpec: null,
    outSpec: null,
    forwardArgs: [],
  };
}

/** Returns the types of the main program: of the folded values it keeps those that it reads. */
function typesOf(
  values: ReadonlyMap<string, ValueType>,
  made: ReadonlySet<string>,
  crossing: readonly string[],
): ReadonlyMap<string, ValueType> {
  const across = new Set(crossing);
  return new Map([...values].filter(([name]) => !made.has(name) || across.has(name)));
}

function canFold(node: Node, types: ReadonlyMap<string, ValueType>, target: OptimizeTarget): boolean {
  if (isOwnOp(node.op)) return true;
  if (target.isClaimed(node.op) || !target.isPure(node) || graphsOf(node).length > 0 || !target.has(node.op))
    return false;
  const results = definitionsOf(node).map((name) => types.get(name));
  if (!results.every((type) => type?.kind === "tensor")) return false;
  return usesOf(node).length > 0 || (isFactory(node.op) && isSmall(results));
}

function isSmall(types: readonly (ValueType | undefined)[]): boolean {
  return types.every((type) => {
    const shape = type?.kind === "tensor" ? knownShape(type) : undefined;
    return shape !== undefined && numel(shape) <= LARGEST_MADE;
  });
}
