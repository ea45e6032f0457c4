import type { DType } from "@pt2/format";
import type { Arg, Graph, Node, Program, TensorType } from "../../ir.ts";
import { mapArg, mapArgs, mapGraphs } from "../../query/map-node.ts";
import { usesOf } from "../../query/node-values.ts";
import { requireProgram } from "../../validate/require-program.ts";
import { GraphBuilder } from "../graph-builder.ts";
import { type AutocastRule, cpuAutocastRule, type ShapeOf } from "./autocast-rules.ts";
import { castableType, splitComposite } from "./split-composite.ts";

/**
 * Makes the casts of regions of enabled autocast explicit nodes, and marks the region as disabled, so that it can be
 * inlined. Only training IR has such regions; decomposing a program makes the casts explicit too.
 */
export function expandAutocast(program: Program): Program {
  requireProgram("expandAutocast()", program);
  const graph = expandGraph(program.graph, null);
  return graph === program.graph ? program : { ...program, graph };
}

/** The arguments of a region before its graph: device type, dtype, enabled, cache enabled. */
interface Region {
  readonly device: string;
  readonly dtype: DType | null;
  readonly enabled: boolean;
}

/** Expands a graph inside a region that casts to `lower`, which is null outside of regions. */
function expandGraph(graph: Graph, lower: DType | null): Graph {
  const builder = new GraphBuilder(graph);
  const casts = new Casts(builder);
  let changed = false;
  for (const node of graph.nodes) {
    for (const part of lower === null ? [node] : splitComposite(node, lower, builder)) {
      const expanded = expandNode(part, lower, casts);
      changed ||= expanded !== node;
      builder.push(expanded);
    }
  }
  return changed ? builder.build(graph.outputs) : graph;
}

function expandNode(node: Node, lower: DType | null, casts: Casts): Node {
  const region = regionOf(node);
  if (region === null) {
    const rule = lower === null ? undefined : cpuAutocastRule(node, casts.shapeOf);
    const nested = mapGraphs(node, (graph) => expandGraph(graph, lower));
    return rule === undefined || lower === null ? nested : casts.apply(nested, rule, lower);
  }
  // The casts of other devices are unknown, so their regions are kept.
  if (region.enabled && region.device !== "cpu") return node;
  const inner = region.enabled ? (region.dtype ?? "bfloat16") : null;
  const expanded = mapGraphs(node, (graph) => expandGraph(graph, inner));
  return region.enabled ? mapArgs(expanded, disable(node)) : expanded;
}

function regionOf(node: Node): Region | null {
  if (node.op !== "higher_order::wrap_with_autocast") return null;
  const [device, dtype, enabled] = node.args.map(({ arg }) => arg);
  return {
    device: device?.kind === "string" ? device.value : "",
    dtype: dtype?.kind === "dtype" ? dtype.value : null,
    enabled: enabled?.kind === "bool" && enabled.value,
  };
}

/** Sets the third argument, `enabled`, to false. */
function disable(node: Node): (leaf: Arg) => Arg {
  const enabled = node.args[2]?.arg;
  return (leaf) => (leaf === enabled ? { kind: "bool", value: false } : leaf);
}

/** Emits casts before the nodes of one graph. */
class Casts {
  readonly #builder: GraphBuilder;

  constructor(builder: GraphBuilder) {
    this.#builder = builder;
  }

  readonly shapeOf: ShapeOf = (arg) => {
    const type = arg?.kind === "value" ? this.#builder.typeOf(arg.name) : undefined;
    return type?.kind === "tensor" ? type.shape : undefined;
  };

  apply(node: Node, rule: AutocastRule, lower: DType): Node {
    const widens = rule === "float32" || (rule === "promote" && this.#hasFloat32(node));
    const dtype = widens ? "float32" : lower;
    // The cast is shared by the uses of one node, not of the graph: another node may write to the tensor in between.
    const made = new Map<string, string>();
    const cast = (leaf: Arg): Arg => {
      const type = castableType(leaf, this.#builder);
      if (leaf.kind !== "value" || type === null || type.dtype === dtype) return leaf;
      const name = made.get(leaf.name) ?? this.#emit(leaf, { ...type, dtype }, node.origin);
      made.set(leaf.name, name);
      return { kind: "value", name };
    };
    if (rule !== "lower but state") return mapArgs(node, cast);
    const args = node.args.map(({ name, arg }) => ({ name, arg: name === "hx" ? arg : mapArg(arg, cast) }));
    return { ...node, args };
  }

  #hasFloat32(node: Node): boolean {
    return usesOf(node).some((name) => castableType({ kind: "value", name }, this.#builder)?.dtype === "float32");
  }

  #emit(value: Arg, type: TensorType, origin: Node["origin"]): string {
    const args = [
      { name: "self", arg: value },
      { name: "dtype", arg: { kind: "dtype", value: type.dtype } as const },
    ];
    const [name] = this.#builder.emit({ op: "aten::to.dtype", args, results: [{ name: "to", type }], origin });
    return name!;
  }
}
