import {
  type Arg,
  argOf,
  definitionsOf,
  type Graph,
  graphsOf,
  type Node,
  type OpName,
  type Program,
  valuesOf,
} from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import type { Commit, CommittedProgram } from "../encode/commits.ts";
import { StateMemory } from "../encode/state-memory.ts";
import { liesAlike } from "./lies-alike.ts";
import type { OptimizeTarget } from "./target.ts";

/** Ops that return a tensor of which a part is replaced, with those that replace it where it is. */
const IN_PLACE: ReadonlyMap<OpName, OpName> = new Map<OpName, OpName>([
  ["aten::index_add", "aten::index_add_"],
  ["aten::index_copy", "aten::index_copy_"],
  ["aten::index_put", "aten::index_put_"],
  ["aten::scatter.src", "aten::scatter_.src"],
]);
/** The same of ops whose part is a view: the op that makes the view. */
const VIEWS: ReadonlyMap<OpName, OpName> = new Map<OpName, OpName>([
  ["aten::select_scatter", "aten::select.int"],
  ["aten::slice_scatter", "aten::slice.Tensor"],
]);

/** A program that may overwrite a part of its buffers before a run has succeeded. */
export interface OverwritingProgram extends CommittedProgram {
  /** The nodes that do so. The native module keeps what they overwrite, and puts it back if the run fails. */
  readonly overwrites: ReadonlySet<Node>;
  /** The buffers, which nothing but this program may then read. */
  readonly targets: readonly string[];
}

/**
 * Lets a run that gives a new value to a part of a buffer, as to one row of a cache, write that part where it is: the
 * rest is not copied. Whatever reads an old value must come before, for it would read the new one.
 */
export function overwriteParts({ program, commits }: CommittedProgram, target: OptimizeTarget): OverwritingProgram {
  const chains = commits.flatMap((commit) => chainOf(program, commit, target) ?? []);
  const tried = rewritten(program.graph, new Set(chains.flatMap(({ nodes }) => nodes)));
  const state = new StateMemory({ ...program, graph: tried.graph }, target.effectsOf);
  const done = chains.filter(({ value }) => state.isOwn(value) && !isReadLate(tried, value, state, target));
  if (done.length === 0) return { program, commits, overwrites: new Set(), targets: [] };
  const { graph, overwrites } = rewritten(program.graph, new Set(done.flatMap(({ nodes }) => nodes)));
  const written = new Set(done.map(({ commit }) => commit));
  const positions = new Set(done.map(({ commit }) => commit.output));
  const outputs = graph.outputs.map((arg, i): Arg => (positions.has(i) ? { kind: "none" } : arg));
  return {
    program: { ...program, graph: { ...graph, outputs } },
    commits: commits.filter((commit) => !written.has(commit)),
    overwrites,
    targets: done.map(({ commit }) => commit.target),
  };
}

/** The nodes by which a buffer gets its new value, each of which replaces a part of what the one before returned. */
interface Chain {
  readonly commit: Commit;
  /** The placeholder of the buffer. */
  readonly value: string;
  readonly nodes: readonly Node[];
}

function chainOf({ graph, inputs }: Program, commit: Commit, target: OptimizeTarget): Chain | null {
  const spec = inputs.find((one) => one.kind === "buffer" && one.target === commit.target);
  const result = graph.outputs[commit.output]!;
  if (
    spec?.kind !== "buffer" ||
    result.kind !== "value" ||
    !liesAlike(graph.values.get(result.name), graph.values.get(spec.value))
  )
    return null;
  const makers = new Map(graph.nodes.flatMap((node) => definitionsOf(node).map((name) => [name, node] as const)));
  const nodes: Node[] = [];
  let name = result.name;
  while (name !== spec.value) {
    const node = makers.get(name);
    const self = node && argOf(node, "self");
    if (node === undefined || self?.kind !== "value" || !canOverwrite(node.op, target)) return null;
    nodes.unshift(node);
    name = self.name;
  }
  return nodes.length === 0 ? null : { commit, value: spec.value, nodes };
}

function canOverwrite(op: OpName, target: OptimizeTarget): boolean {
  if (target.isClaimed(op)) return false;
  const inPlace = IN_PLACE.get(op);
  return inPlace === undefined ? VIEWS.has(op) : target.has(inPlace);
}

/** A graph with nodes that overwrite. */
interface Rewritten {
  readonly graph: Graph;
  readonly overwrites: ReadonlySet<Node>;
  /** The nodes that give the whole its name after a view of it was overwritten. */
  readonly wholes: ReadonlySet<Node>;
}

function rewritten(graph: Graph, chosen: ReadonlySet<Node>): Rewritten {
  const builder = new GraphBuilder(graph);
  const [overwrites, wholes] = [new Set<Node>(), new Set<Node>()];
  const push = (node: Node, group: Set<Node>): void => {
    builder.push(node);
    group.add(node);
  };
  for (const node of graph.nodes) {
    const inPlace = IN_PLACE.get(node.op);
    if (!chosen.has(node)) builder.push(node);
    else if (inPlace !== undefined) push({ ...node, op: inPlace }, overwrites);
    else {
      push(copyToPart(node, builder), overwrites);
      push({ ...node, op: "aten::alias", args: node.args.filter(({ name }) => name === "self") }, wholes);
    }
  }
  return { graph: builder.build(graph.outputs), overwrites, wholes };
}

/** Appends a view of the part that `node` replaces, and returns a copy to it. */
function copyToPart(node: Node, builder: GraphBuilder): Node {
  const { origin } = node;
  const src = argOf(node, "src")!;
  const [part] = builder.emit({
    op: VIEWS.get(node.op)!,
    args: node.args.filter(({ name }) => name !== "src"),
    results: [{ name: `${node.name}_part`, type: src.kind === "value" ? builder.typeOf(src.name) : undefined }],
    origin,
  });
  const args = [
    { name: "self", arg: { kind: "value", name: part! } as const },
    { name: "src", arg: src },
  ];
  return { name: builder.fresh(`${node.name}_copy`), op: "aten::copy_", args, outputs: [{ kind: "none" }], origin };
}

/** Whether an older value of a buffer is read after a part of it was overwritten, or something else may write to it. */
function isReadLate(
  { graph, overwrites, wholes }: Rewritten,
  value: string,
  state: StateMemory,
  target: OptimizeTarget,
): boolean {
  const isValue = (name: string): boolean => state.behind(name).includes(value);
  const [present, older] = [new Set([value]), new Set<string>()];
  for (const node of graph.nodes) {
    const self = overwrites.has(node) ? argOf(node, "self") : undefined;
    const given = node.args.filter(({ arg }) => arg !== self).flatMap(({ arg }) => valuesOf(arg));
    const isWritten = self !== undefined && valuesOf(self).some(isValue);
    if (given.some(isValue) && !wholes.has(node)) {
      if (isWritten || given.some((name) => older.has(name)) || !isReadOnly(node, target)) return true;
    }
    if (isWritten) {
      for (const name of present) older.add(name);
      present.clear();
    }
    for (const name of definitionsOf(node)) if (isValue(name)) present.add(name);
  }
  return graph.outputs.flatMap(valuesOf).some((name) => older.has(name));
}

function isReadOnly(node: Node, { effectsOf }: OptimizeTarget): boolean {
  const effects = effectsOf(node.op);
  return graphsOf(node).length === 0 && effects?.opaque !== true && effects?.mutates.length === 0;
}
