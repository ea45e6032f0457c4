import { isSameShape } from "@pt2/engine/rewrites";
import { type Arg, argOf, type InputSpec, type Node, type OpName, type OutputSpec, valuesOf } from "@pt2/graph";
import { GraphBuilder, type OpEffects } from "@pt2/graph/passes";
import type { Commit, CommittedProgram } from "../encode/commits.ts";
import { StateMemory } from "../encode/state-memory.ts";

/**
 * Lets a value that a program copies to a weight or a buffer at its end replace the old one, where it has memory of its own:
 * nothing is copied then, neither at the end nor, to keep the old one for a run that fails, at the beginning.
 */
export function commitUpdates(
  { program, commits }: CommittedProgram,
  effectsOf: (op: OpName) => OpEffects | undefined,
): CommittedProgram {
  const { graph, inputs, outputs } = program;
  const written = new Map(inputs.flatMap((spec) => newValueOf(spec)));
  const state = new StateMemory(program, effectsOf);
  const replacing = new Map<Node, { readonly spec: Written; readonly value: Arg }>();
  // The last of several new values counts, and a commit more than any.
  const seen = new Set(commits.map(({ target }) => target));
  // Two buffers may not share the memory of a result.
  const taken = new Set(commits.flatMap(({ output }) => valuesOf(graph.outputs[output]!)));
  for (const node of graph.nodes.toReversed()) {
    const [self, value] = [argOf(node, "self"), argOf(node, "src")];
    const spec = self?.kind === "value" ? written.get(self.name) : undefined;
    if (node.op !== "aten::copy_" || self?.kind !== "value" || value?.kind !== "value" || spec === undefined) break;
    const [from, to] = [value, self].map(({ name }) => graph.values.get(name));
    const fits =
      from?.kind === "tensor" && to?.kind === "tensor" && from.dtype === to.dtype && isSameShape(from.shape, to.shape);
    const isLast = !seen.has(spec.target);
    seen.add(spec.target);
    if (!fits || !isLast || taken.has(value.name)) continue;
    if (!state.isOwn(self.name) || state.behind(value.name).length > 0) continue;
    replacing.set(node, { spec, value });
    taken.add(value.name);
  }
  if (replacing.size === 0) return { program, commits };
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) if (!replacing.has(node)) builder.push(node);
  const added = [...replacing.values()];
  const more = added.map(({ spec }, i): Commit => ({ output: outputs.length + i, target: spec.target }));
  return {
    program: {
      ...program,
      graph: builder.build([...graph.outputs, ...added.map(({ value }) => value)]),
      outputs: [...outputs, ...added.map(({ spec }) => spec)],
    },
    commits: [...commits, ...more],
  };
}

type Written = Extract<OutputSpec, { readonly kind: "buffer_mutation" | "parameter_mutation" }>;

/** How a signature says that a result is the new value of an input. */
function newValueOf(spec: InputSpec): readonly (readonly [string, Written])[] {
  if (spec.kind !== "buffer" && spec.kind !== "parameter") return [];
  return [[spec.value, { kind: `${spec.kind}_mutation`, target: spec.target }]];
}
