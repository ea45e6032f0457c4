import type { WeightTensor } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { InputSpec, Node, Program } from "../ir.ts";
import { definitionsOf, usesOf, valuesOf } from "../query/node-values.ts";
import { contiguousStrides } from "../strides.ts";
import { requireProgram } from "../validate/require-program.ts";
import { isFunctional } from "./mutating-names.ts";

/** The location of a weight in its storage. */
type Weight = Pick<WeightTensor, "dtype" | "shape" | "strides" | "storageOffset"> & {
  readonly storage: { readonly id: string };
};

interface Tied {
  readonly spec: InputSpec & { readonly value: string; readonly target: string };
  readonly weight: Weight;
  /** The range of elements in the storage, from the first to after the last. */
  readonly start: number;
  readonly end: number;
}

/**
 * Makes overlapping buffers views of the largest one, so that a write to one is visible in the others, as in PyTorch.
 * Programs without writes, or without such buffers, are returned unchanged.
 */
export function aliasBuffers(program: Program, weights: ReadonlyMap<string, Weight>): Program {
  requireProgram("aliasBuffers()", program);
  if (isFunctional(program.graph)) return program;
  const views = groupsOf(program, weights).flatMap((group) => viewsOf(group, program));
  if (views.length === 0) return program;
  const gone = new Set(views.flatMap(definitionsOf));
  const { graph } = program;
  return {
    ...program,
    inputs: program.inputs.filter((spec) => !("target" in spec && gone.has(spec.value ?? ""))),
    graph: {
      ...graph,
      inputs: graph.inputs.filter((name) => name === null || !gone.has(name)),
      nodes: [...views, ...graph.nodes],
    },
  };
}

/** Groups used weights that overlap, with at least one buffer in each group. */
function groupsOf({ graph, inputs }: Program, weights: ReadonlyMap<string, Weight>): readonly (readonly Tied[])[] {
  const used = new Set([...graph.nodes.flatMap(usesOf), ...graph.outputs.flatMap(valuesOf)]);
  const byStorage = new Map<string, Tied[]>();
  for (const spec of inputs) {
    if (spec.kind !== "parameter" && spec.kind !== "buffer") continue;
    const weight = weights.get(spec.target);
    if (weight === undefined || !used.has(spec.value) || weight.shape.includes(0)) continue;
    const start = weight.storageOffset;
    const end = weight.shape.reduce((at, size, d) => at + (size - 1) * weight.strides[d]!, start) + 1;
    const { id } = weight.storage;
    const others = byStorage.get(id) ?? [];
    others.push({ spec, weight, start, end });
    byStorage.set(id, others);
  }
  const groups: Tied[][] = [];
  for (const tied of byStorage.values()) {
    let reach = Number.NEGATIVE_INFINITY;
    for (const one of tied.sort((a, b) => a.start - b.start)) {
      if (one.start < reach) groups.at(-1)!.push(one);
      else groups.push([one]);
      reach = Math.max(reach, one.end);
    }
  }
  return groups.filter((group) => group.length > 1 && group.some(({ spec }) => spec.kind === "buffer"));
}

/** Creates nodes that make all but one of a group views of that one. */
function viewsOf(group: readonly Tied[], { graph }: Program): readonly Node[] {
  const base = group.find(({ weight, start, end }) => {
    const dense = contiguousStrides(weight.shape).every((stride, d) => stride === weight.strides[d]);
    return (
      dense && group.every((other) => start <= other.start && other.end <= end && other.weight.dtype === weight.dtype)
    );
  });
  if (base === undefined) {
    throw graphError("graph.mutation", {
      what: `Buffers share memory, and none of them contains all the others: ${group.map(({ spec }) => `\`${spec.target}\``).join(", ")}`,
      where: "the signature",
      advice: "also register the tensor that they view as a buffer, or clone them",
    });
  }
  const taken = new Set(graph.nodes.map(({ name }) => name));
  return group
    .filter((one) => one !== base)
    .map(({ spec, weight, start }): Node => {
      let name = spec.value;
      while (taken.has(name)) name = `${name}_view`;
      const ints = (values: readonly number[]) => ({
        kind: "list" as const,
        items: values.map((value) => ({ kind: "int" as const, value })),
      });
      return {
        name,
        op: "aten::as_strided",
        args: [
          { name: "self", arg: { kind: "value", name: base.spec.value } },
          { name: "size", arg: ints(weight.shape) },
          { name: "stride", arg: ints(weight.strides) },
          { name: "storage_offset", arg: { kind: "int", value: start - base.start } },
        ],
        outputs: [{ kind: "value", name: spec.value }],
        origin: {},
      };
    });
}
