import { graphError } from "../../graph-errors.ts";
import type { Arg, InputSpec, Node, OutputSpec, Program, TensorType } from "../../ir.ts";
import { describeNode } from "../../query/describe-node.ts";
import { definitionsOf, usesOf, valuesOf } from "../../query/node-values.ts";
import { isContiguous, sameSizes } from "../../strides.ts";

/** What in-place views did to a graph. */
export interface Relaid {
  /** The program before they were replaced. */
  readonly before: Program["graph"];
  /** Returns what the tensor of an input is in the end. */
  last(name: string): Arg;
  /** Returns the names of the tensor that an input is, which no-ops and in-place ops return. */
  sameAs(name: string): readonly string[];
}

/** In-place views of the memory itself, whatever the sizes before. */
const OF_MEMORY = /^aten::as_strided/;

/**
 * Makes the sizes that a buffer or parameter has in the end its sizes in the next call, as in PyTorch, where the call
 * after the next finds other ones again. What the types of values say holds in the first call alone, so those that
 * follow from the buffer's sizes are dropped: passes then assume nothing of them. That of the new value says that it is another one.
 */
export function keepLayouts(program: Program, relaid: Relaid): Program {
  const kept = program.inputs.flatMap((spec) => keptOf(program, spec, relaid));
  if (kept.length === 0) return program;
  const { graph } = program;
  const values = new Map(graph.values);
  for (const name of dependentsOf(kept, graph)) values.delete(name);
  return {
    ...program,
    inputs: program.inputs.map((spec) => asState(spec, kept)),
    graph: { ...graph, values, outputs: [...kept.map(({ last }) => last), ...graph.outputs] },
    outputs: [...kept.map(({ spec }) => mutationOf(spec)), ...program.outputs],
  };
}

type State = InputSpec & { readonly target: string; readonly value: string };

interface Kept {
  readonly spec: State;
  /** Its names. */
  readonly same: readonly string[];
  /** What the tensor is in the end. */
  readonly last: Arg;
}

function keptOf({ graph }: Program, spec: InputSpec, relaid: Relaid): readonly Kept[] {
  if (!isState(spec)) return [];
  const last = relaid.last(spec.value);
  if (last.kind !== "value" || last.name === spec.value) return [];
  const to = typeOf(graph.values.get(last.name));
  if (isLike(typeOf(graph.values.get(spec.value)), to)) return [];
  const same = relaid.sameAs(spec.value);
  const users = relaid.before.nodes.filter((node) => usesOf(node).some((name) => same.includes(name)));
  const strided = users.find(({ op }) => OF_MEMORY.test(op));
  if (strided !== undefined) {
    // The memory stays as it is, and so does what the first op makes of it.
    if (users[0] === strided) return [];
    throw unknownMemory(spec, strided);
  }
  const depends = to === null || isContiguous(to) ? undefined : users.find(({ op }) => op === "aten::contiguous");
  if (depends !== undefined) throw unknownMemory(spec, depends);
  return [{ spec, same, last }];
}

function isState(spec: InputSpec): spec is State {
  return spec.kind === "buffer" || spec.kind === "parameter" || spec.kind === "tensor_constant";
}

function typeOf(type: { readonly kind: string } | undefined): TensorType | null {
  return type?.kind === "tensor" ? (type as TensorType) : null;
}

/** A constant whose sizes change becomes state, like a buffer. */
function asState(spec: InputSpec, kept: readonly Kept[]): InputSpec {
  if (spec.kind !== "tensor_constant" || !kept.some((one) => one.spec === spec)) return spec;
  return { kind: "buffer", value: spec.value, target: spec.target, persistent: false };
}

function mutationOf({ kind, target }: State): OutputSpec {
  return { kind: kind === "parameter" ? "parameter_mutation" : "buffer_mutation", target };
}

/** Returns the names of values that follow from the sizes of kept tensors, and not those of the tensors as they were. */
function dependentsOf(kept: readonly Kept[], { nodes, values }: Program["graph"]): ReadonlySet<string> {
  const before = new Set(
    kept.flatMap(({ spec, same }) => {
      const type = typeOf(values.get(spec.value));
      return same.filter((name) => isLike(type, typeOf(values.get(name))));
    }),
  );
  const last = kept.flatMap((one) => valuesOf(one.last));
  const found = new Set<string>();
  for (const node of nodes) {
    if (!usesOf(node).some((name) => found.has(name) || before.has(name))) continue;
    for (const name of definitionsOf(node)) if (!before.has(name)) found.add(name);
  }
  for (const name of last) found.delete(name);
  return found;
}

function isLike(a: TensorType | null, b: TensorType | null): boolean {
  return a !== null && b !== null && sameSizes(a.shape, b.shape) && sameSizes(a.strides, b.strides);
}

function unknownMemory({ target }: State, node: Node): Error {
  return graphError("graph.mutation", {
    what: `"${target}" has other sizes after each call, and ${node.op} reads its memory whatever they are`,
    where: describeNode(node),
    advice: "give it its sizes where the module is made, and not in forward",
  });
}
