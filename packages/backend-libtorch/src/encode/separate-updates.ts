import { type Arg, argOf, type Node, type OpName, type Program, valuesOf } from "@pt2/graph";
import { GraphBuilder, type OpEffects, Substitution } from "@pt2/graph/passes";
import { emitCopy } from "./emit-copy.ts";
import { StateMemory } from "./state-memory.ts";

/** Copies at the end of a program, all at once: `aten::copy_(self, src)`, whose `self` is a weight or a buffer. */
export interface Updates {
  readonly nodes: readonly Node[];
  /** Whether others share the memory of a weight or buffer, given by its `target`. */
  isShared(target: string): boolean;
  effectsOf(op: OpName): OpEffects | undefined;
}

/**
 * Puts updates of weights and buffers at the end, none of which changes what another copies, or what the program returns:
 * values that are in memory which is written are copied before.
 */
export function separateUpdates(program: Program, { nodes: updates, isShared, effectsOf }: Updates): Program {
  if (updates.length === 0) return program;
  const { graph, inputs } = program;
  const state = new StateMemory(program, effectsOf);
  const shared = new Set(inputs.flatMap((spec) => ("target" in spec && isShared(spec.target) ? [spec.value] : [])));
  const memoryOf = (name: string): readonly string[] =>
    state.behind(name).map((value) => (shared.has(value) ? "shared" : value));
  const builder = new GraphBuilder(graph);
  const last = new Set(updates);
  for (const node of graph.nodes) if (!last.has(node)) builder.push(node);
  const copied = new Substitution();
  const copy = (name: string): void => {
    if (copied.has(name)) return;
    copied.bind(name, { kind: "value", name: emitCopy(builder, name, "before") });
  };
  const written = new Set<string>();
  for (const node of updates) {
    const [target] = valuesOf(argOf(node, "self")!);
    const [source] = valuesOf(argOf(node, "src")!);
    const own = memoryOf(target!);
    const read = source === undefined || source === target ? [] : memoryOf(source);
    if (read.some((memory) => written.has(memory) || own.includes(memory))) copy(source!);
    for (const memory of own) written.add(memory);
  }
  const sources = new Set(updates.flatMap((node) => valuesOf(argOf(node, "src")!)));
  const outputs = graph.outputs.map((arg, i): Arg => {
    // What an update copies already is no result of a run.
    const isUpdate =
      /_mutation$/.test(program.outputs[i]?.kind ?? "") && valuesOf(arg).every((name) => sources.has(name));
    if (isUpdate) return arg;
    for (const name of valuesOf(arg)) if (memoryOf(name).some((memory) => written.has(memory))) copy(name);
    return copied.arg(arg);
  });
  for (const node of updates) builder.push({ ...node, args: node.args.map((named) => sourceOf(named, copied)) });
  return { ...program, graph: builder.build(outputs) };
}

function sourceOf(named: Node["args"][number], copied: Substitution): Node["args"][number] {
  return named.name === "src" ? { ...named, arg: copied.arg(named.arg) } : named;
}
