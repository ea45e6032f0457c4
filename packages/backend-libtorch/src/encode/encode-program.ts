import { definitionsOf, type Graph, type InputSpec, type Node, type Output, type Program, usesOf } from "@pt2/graph";
import { liveness } from "@pt2/graph/passes";
import { describeNode } from "@pt2/registry";
import type { PlanGraph, PlanNode, PlanSource } from "../addon.ts";
import { libtorchError } from "../libtorch-errors.ts";
import type { NodeAt } from "../native-failure.ts";
import type { Route } from "../routes.ts";
import { type ArgScope, planArg } from "./plan-arg.ts";

/** A placeholder that has a value at run time. */
export type PlanInput = Exclude<InputSpec, { readonly kind: "constant_input" | "token" | "custom_obj" }> & {
  readonly value: string;
};

/** A program in the form that the native module takes. */
export interface EncodedProgram {
  readonly plan: PlanSource;
  /** The placeholders of the plan's inputs, in order. */
  readonly inputs: readonly PlanInput[];
  /** Finds the program's node for a node of the plan. */
  readonly nodeAt: NodeAt;
}

/** Options of {@link encodeProgram}. */
export interface EncodeOptions {
  readonly device: string;
  /** Nodes that may overwrite a part of a weight or buffer itself, which is undone if the run fails. @default none */
  readonly overwrites?: ReadonlySet<Node>;
  /** The last node, where it may write to weights and buffers themselves. */
  readonly update?: Node | null;
  /** See {@link PlanSource.sparing}. @default false */
  readonly sparing?: boolean;
  routeOf(node: Node): Route;
}

/** Encodes a program whose nodes all have a route. Values become slots, nested graphs get an index. */
export function encodeProgram(
  { graph, inputs }: Pick<Program, "graph" | "inputs">,
  options: EncodeOptions,
): EncodedProgram {
  const { uses } = liveness(graph);
  // A weight that no node reads is not loaded.
  const given = inputs.filter(hasValue).filter(({ kind, value }) => kind === "user_input" || uses.get(value) !== 0);
  const encoder = new Encoder(options);
  encoder.graphIndex({ ...graph, inputs: given.map(({ value }) => value) });
  const { graphs, nodes } = encoder;
  const { device, sparing = false } = options;
  return { plan: { graphs, device, sparing }, inputs: given, nodeAt: (at, node) => nodes[at]?.[node] };
}

function hasValue(spec: InputSpec): spec is PlanInput {
  return spec.kind !== "constant_input" && spec.kind !== "token" && spec.kind !== "custom_obj" && spec.value !== null;
}

/** Lists the values that a host node takes, in order. */
export function hostOperands(node: Node): readonly string[] {
  return [...new Set(usesOf(node))];
}

class Encoder {
  readonly graphs: PlanGraph[] = [];
  readonly nodes: (readonly Node[])[] = [];
  readonly #options: EncodeOptions;
  readonly #indices = new Map<Graph, number>();

  constructor(options: EncodeOptions) {
    this.#options = options;
  }

  /** Returns the index of a graph in the plan; a graph that is used twice is encoded once. */
  graphIndex(graph: Graph): number {
    const known = this.#indices.get(graph);
    if (known !== undefined) return known;
    const index = this.graphs.length;
    this.#indices.set(graph, index);
    this.graphs.push(EMPTY);
    this.nodes.push(graph.nodes);
    this.graphs[index] = this.#graph(graph);
    return index;
  }

  #graph(graph: Graph): PlanGraph {
    const slots = slotsOf(graph);
    const { uses } = liveness(graph);
    const scope: ArgScope = {
      slotOf: (name) => slots.get(name) ?? missing(name),
      graphIndex: (nested) => this.graphIndex(nested),
      device: this.#options.device,
    };
    const isRead = (name: string): boolean => (uses.get(name) ?? 0) > 0;
    return {
      slots: slots.size,
      inputs: graph.inputs.map((name) => (name === null || !isRead(name) ? null : slots.get(name)!)),
      nodes: graph.nodes.map((node) => this.#node(node, scope, isRead)),
      outputs: graph.outputs.map((arg) => planArg(arg, scope, RETURN)),
    };
  }

  #node(node: Node, scope: ArgScope, isRead: (name: string) => boolean): PlanNode {
    const { kind: route, why } = kindOf(this.#options.routeOf(node));
    const { update, overwrites } = this.#options;
    const kind = node === update || overwrites?.has(node) ? "update" : route;
    if (kind === null) {
      throw libtorchError("libtorch.no-op", { what: `${node.op} cannot run: ${why}`, where: describeNode(node) });
    }
    if (kind === "host") {
      const args = hostOperands(node).map((name) => ({ name: "", arg: planArg({ kind: "value", name }, scope, node) }));
      return { kind, op: node.op, args, outputs: node.outputs.map((output) => outputSlots(output, scope, isRead)) };
    }
    const args = node.args.map(({ name, arg }) => ({
      name: kind === "scalar" ? "" : name,
      arg: planArg(arg, scope, node),
    }));
    const outputs = node.outputs.map((output) => outputSlots(output, scope, isRead));
    // The graphs of a higher-order op return one by one what the program lists as one result.
    const [first] = outputs;
    return { kind, op: node.op, args, outputs: kind === "control" && Array.isArray(first) ? first : outputs };
  }
}

const EMPTY: PlanGraph = { slots: 0, inputs: [], nodes: [], outputs: [] };
const RETURN: Node = { name: "output", op: "return", args: [], outputs: [], origin: {} };

function kindOf(route: Route): { readonly kind: PlanNode["kind"] | null; readonly why?: string } {
  switch (route.kind) {
    case "op":
    case "scalar":
    case "control":
      return { kind: route.kind };
    case "missing":
      return { kind: null, why: route.why };
    default:
      return { kind: "host" };
  }
}

function slotsOf(graph: Graph): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  const define = (name: string): void => void slots.set(name, slots.size);
  for (const name of graph.inputs) if (name !== null) define(name);
  for (const node of graph.nodes) definitionsOf(node).forEach(define);
  return slots;
}

function outputSlots(
  output: Output,
  scope: ArgScope,
  isRead: (name: string) => boolean,
): number | readonly number[] | null {
  if (output.kind === "none") return null;
  if (output.kind === "value") return isRead(output.name) ? scope.slotOf(output.name) : null;
  return output.names.map((name) => scope.slotOf(name)!);
}

function missing(name: string): never {
  throw libtorchError("libtorch.encode", {
    what: `Value %${name} is used before it is defined`,
    advice: "Run validate() on the program; a pass or the exporter produced an invalid one.",
  });
}
