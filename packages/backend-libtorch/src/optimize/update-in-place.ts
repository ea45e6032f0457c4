import {
  type Arg,
  argOf,
  definitionsOf,
  type Graph,
  graphsOf,
  type Node,
  type OpName,
  type Program,
  usesOf,
  type ValueType,
  valuesOf,
} from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import type { Commit } from "../encode/commits.ts";
import { StateMemory } from "../encode/state-memory.ts";
import { POINTWISE } from "./fuse-pointwise.ts";
import { liesAlike } from "./lies-alike.ts";
import type { OverwritingProgram } from "./overwrite-parts.ts";
import type { OptimizeTarget } from "./target.ts";

const OP: OpName = "pt2::pointwise_";

/** A program whose last node writes new values of its state where the old ones are. */
export interface UpdatedProgram extends OverwritingProgram {
  /** The last node, whose writes to weights and buffers are meant; null where there is none. */
  readonly update: Node | null;
}

/**
 * Makes one node, the last one, of the elementwise nodes that compute nothing but new values of weights and buffers: it
 * writes them in place. An optimizer's step then needs no second copy of parameters and moments, and moves less memory.
 *
 * A run that fails still changes nothing, because the node checks everything before it writes, and no node comes after
 * it. So whatever reads an old value must be an earlier node, or the same element of the same pass.
 */
export function updateInPlace(given: OverwritingProgram, target: OptimizeTarget): UpdatedProgram {
  const { program, commits, overwrites, targets } = given;
  const none = { ...given, update: null };
  if (!target.has(OP)) return none;
  const { graph } = program;
  const state = new StateMemory(program, target.effectsOf);
  let passes = passesOf(program, commits, state, target);
  // What is not written in place is no longer in the way of others.
  for (let before = -1; before !== passes.length; ) {
    before = passes.length;
    const written = new Map(passes.flatMap((pass) => pass.into.map(({ value }) => [value, pass] as const)));
    const returned = new Set(outputNames(graph, passes).flatMap((name) => state.behind(name)));
    passes = passes.filter(
      (pass) =>
        pass.into.every(({ value }) => !returned.has(value)) &&
        usesOf(pass.node).every((name) =>
          state.behind(name).every((old) => !written.has(old) || pass.reads(name, old)),
        ),
    );
  }
  if (passes.length === 0) return none;
  const replaced = new Set(passes.map(({ node }) => node));
  const into = passes.flatMap((pass) => pass.into);
  const update = updateNode(passes);
  const done = new Set(into.map(({ commit }) => commit));
  const outputs = graph.outputs.map((arg, i): Arg => (into.some((one) => one.commit.output === i) ? NONE : arg));
  const builder = new GraphBuilder(graph);
  for (const node of [...graph.nodes.filter((one) => !replaced.has(one)), update]) builder.push(node);
  return {
    program: { ...program, graph: builder.build(outputs) },
    commits: commits.filter((commit) => !done.has(commit)),
    overwrites,
    update,
    targets: [...targets, ...into.map(({ commit }) => commit.target)],
  };
}

const NONE: Arg = { kind: "none" };

/** A node that computes new values alone. */
class Pass {
  readonly node: Node;
  /** The placeholder of what each result replaces, and the commit that said so. */
  readonly into: readonly { readonly value: string; readonly commit: Commit }[];

  constructor(node: Node, into: Pass["into"]) {
    this.node = node;
    this.into = into;
  }

  /** Whether an operand is, element by element, what this pass itself replaces. */
  reads(operand: string, old: string): boolean {
    return operand === old && this.into.some(({ value }) => value === old);
  }
}

function passesOf(
  { graph, inputs }: Program,
  commits: readonly Commit[],
  state: StateMemory,
  target: OptimizeTarget,
): readonly Pass[] {
  const placeholders = new Map(
    inputs.flatMap((spec) =>
      spec.kind === "parameter" || spec.kind === "buffer" ? [[spec.target, spec.value] as const] : [],
    ),
  );
  const committed = new Map(
    commits.flatMap((commit) => {
      const arg = graph.outputs[commit.output]!;
      return arg.kind === "value" ? [[arg.name, commit] as const] : [];
    }),
  );
  const reads = new Map<string, number>();
  const read = (name: string): void => void reads.set(name, (reads.get(name) ?? 0) + 1);
  for (const node of graph.nodes) usesOf(node).forEach(read);
  for (const name of graph.outputs.flatMap(valuesOf)) read(name);
  const passOf = (node: Node): Pass | null => {
    if (node.op !== POINTWISE) return null;
    const into = definitionsOf(node).map((name) => {
      const commit = committed.get(name);
      const value = commit && placeholders.get(commit.target);
      const made = graph.values.get(name);
      const fits = value !== undefined && isFloat32(made) && liesAlike(made, graph.values.get(value));
      return fits && reads.get(name) === 1 && state.isOwn(value) ? { value, commit: commit! } : null;
    });
    return into.every((one) => one !== null) ? new Pass(node, into) : null;
  };
  const passes: Pass[] = [];
  // A pass runs later than it did: nothing between may write to what it reads.
  for (const node of graph.nodes.toReversed()) {
    const pass = passOf(node);
    if (pass !== null) passes.unshift(pass);
    else if (graphsOf(node).length > 0 || (target.effectsOf(node.op)?.mutates.length ?? 1) > 0) break;
  }
  return passes;
}

function isFloat32(type: ValueType | undefined): boolean {
  return type?.kind === "tensor" && type.dtype === "float32";
}

/** The values that the graph still returns. */
function outputNames({ outputs }: Graph, passes: readonly Pass[]): readonly string[] {
  const written = new Set(passes.flatMap(({ into }) => into.map(({ commit }) => commit.output)));
  return outputs.flatMap((arg, i) => (written.has(i) ? [] : valuesOf(arg)));
}

const LISTS = ["inputs", "constants", "code", "results"] as const;

function updateNode(passes: readonly Pass[]): Node {
  const list = (items: readonly Arg[]): Arg => ({ kind: "list", items }) as Arg;
  const itemsOf = ({ node }: Pass, name: string): readonly Arg[] => {
    const arg = argOf(node, name);
    return arg?.kind === "list" ? arg.items : [];
  };
  const counts = passes.flatMap((pass) =>
    LISTS.map((name): Arg => ({ kind: "int", value: itemsOf(pass, name).length })),
  );
  const out = passes.flatMap(({ into }) => into.map(({ value }): Arg => ({ kind: "value", name: value })));
  const args: readonly (readonly [string, Arg])[] = [
    ["out", list(out)],
    ...LISTS.map((name) => [name, list(passes.flatMap((pass) => itemsOf(pass, name)))] as const),
    ["counts", list(counts)],
  ];
  const last = passes.at(-1)!.node;
  // Hundreds of parameters are updated alike: one node of each op says what is computed.
  const joined = new Map(passes.flatMap(({ node }) => node.origin.joined ?? [node]).map((node) => [node.op, node]));
  return {
    name: last.name,
    op: OP,
    args: args.map(([name, arg]) => ({ name, arg })),
    outputs: [],
    origin: { ...last.origin, joined: [...joined.values()] },
  };
}
