import { normalDim } from "@pt2/format";
import type { Arg, Graph, NamedArg, Node, Program, ValueType } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { definitionsOf, usesOf, valuesOf } from "../query/node-values.ts";
import { requireProgram } from "../validate/require-program.ts";
import { GraphBuilder } from "./graph-builder.ts";

const PREFIX = "torch._functorch.predispatch::";

/** A `torch.vmap` region under construction. */
interface Region {
  readonly origin: Node["origin"];
  /** Whether the batch size is zero. */
  readonly none: boolean;
  readonly nodes: Node[];
  /** Batched inputs: the name inside the region, the batched tensor, and its batch dimension. */
  readonly taken: { readonly inner: string; readonly from: Arg; readonly dim: number }[];
  /** Batched outputs. */
  readonly given: { readonly inner: string; readonly outer: string; readonly dim: number }[];
}

/**
 * Converts `torch.vmap` in training IR to `higher_order::map_impl`: the nodes between `_vmap_increment_nesting` and
 * `_vmap_decrement_nesting` are the function for one example, with types, so it is mapped over the examples. This is
 * slower than batching, and correct for every function. Regions of another form are kept.
 */
export function expandVmap(program: Program): Program {
  requireProgram("expandVmap()", program);
  const graph = expandGraph(program.graph);
  return graph === program.graph ? program : { ...program, graph };
}

function expandGraph(original: Graph): Graph {
  const nodes = original.nodes.map((node) => mapGraphs(node, expandGraph));
  const graph = nodes.every((node, i) => node === original.nodes[i]) ? original : { ...original, nodes };
  if (!nodes.some(({ op }) => op.startsWith(PREFIX))) return graph;
  return new VmapExpander(graph).run() ?? graph;
}

class VmapExpander {
  readonly #graph: Graph;
  readonly #builder: GraphBuilder;
  readonly #open: Region[] = [];
  /** Values for one example, which must not be used outside of the region. */
  readonly #hidden = new Set<string>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#builder = new GraphBuilder(graph);
  }

  /** Returns the graph without vmap; null when a region has an unexpected form. */
  run(): Graph | null {
    for (const node of this.#graph.nodes) if (!this.#node(node)) return null;
    const used = this.#graph.outputs.flatMap(valuesOf);
    return this.#open.length > 0 || this.#isHidden(used) ? null : this.#builder.build(this.#graph.outputs);
  }

  #node(node: Node): boolean {
    if (this.#isHidden(usesOf(node))) return false;
    const args = node.args.map(({ arg }) => arg);
    const region = this.#open.at(-1);
    switch (node.op.startsWith(PREFIX) ? node.op.slice(PREFIX.length) : "") {
      case "lazy_load_decompositions":
        return true;
      case "_vmap_increment_nesting":
        // Randomness "same" would need the same draw for all examples.
        if (args[1]?.kind === "string" && args[1].value === "same") return false;
        this.#open.push({ origin: node.origin, none: isZero(args[0]), nodes: [], taken: [], given: [] });
        return true;
      case "_add_batch_dim": {
        const [from, dim, level] = args;
        const [inner] = definitionsOf(node);
        if (!region || !from || inner === undefined || dim?.kind !== "int" || !this.#isLevel(level)) return false;
        region.taken.push({ inner, from, dim: Number(dim.value) });
        return true;
      }
      case "_remove_batch_dim": {
        const [from, level, , dim] = args;
        const [outer] = definitionsOf(node);
        if (!region || from?.kind !== "value" || outer === undefined || dim?.kind !== "int" || !this.#isLevel(level))
          return false;
        region.given.push({ inner: from.name, outer, dim: Number(dim.value) });
        return true;
      }
      case "_vmap_decrement_nesting":
        return this.#close();
      case "":
        this.#push(node);
        return true;
      default:
        return false;
    }
  }

  #isLevel(level: Arg | undefined): boolean {
    return level?.kind === "int" && Number(level.value) === this.#open.length;
  }

  #isHidden(names: readonly string[]): boolean {
    return names.some((name) => this.#hidden.has(name));
  }

  #push(node: Node): void {
    const region = this.#open.at(-1);
    if (region === undefined) this.#builder.push(node);
    else region.nodes.push(node);
  }

  /** Converts the innermost region to a node of the surrounding graph. */
  #close(): boolean {
    const region = this.#open.pop();
    if (region === undefined || region.taken.length === 0) return false;
    const { origin, nodes, taken, given } = region;
    const inside = new Set([...taken.map(({ inner }) => inner), ...nodes.flatMap(definitionsOf)]);
    const needed = [...nodes.flatMap(usesOf), ...given.map(({ inner }) => inner)];
    const extra = [...new Set(needed.filter((name) => !inside.has(name)))];
    for (const name of inside) this.#hidden.add(name);
    const empty = given.map(({ outer }) => emptyTensor(outer, this.#builder.typeOf(outer), origin));
    if (region.none && empty.every((node) => node !== null)) {
      for (const node of empty) this.#push(node);
      return true;
    }
    const inputs = [...taken.map(({ inner }) => inner), ...extra];
    const body: Graph = {
      inputs,
      nodes,
      outputs: given.map(({ inner }) => ({ kind: "value", name: inner })),
      values: this.#typesOf([...inputs, ...inside]),
    };
    const name = this.#builder.fresh("vmap");
    const xs = taken.map(({ from, dim }) => (dim === 0 ? from : this.#moved(from, dim, 0, origin)));
    const results = given.map(({ outer, dim }) => (dim === 0 ? outer : this.#builder.fresh(`${outer}_rows`)));
    this.#push({
      name,
      op: "higher_order::map_impl",
      args: [
        { name: "", arg: { kind: "graph", name: this.#builder.fresh("example"), graph: body } },
        { name: "", arg: { kind: "list", items: xs } },
        { name: "", arg: { kind: "list", items: extra.map((value) => ({ kind: "value", name: value })) } },
      ],
      outputs: [{ kind: "list", names: results }],
      origin,
    });
    for (const [i, { outer, dim }] of given.entries()) {
      if (dim === 0) continue;
      this.#builder.setType(results[i]!, moveType(this.#builder.typeOf(outer), dim, 0));
      this.#push(movedim(outer, { kind: "value", name: results[i]! }, 0, dim, origin));
    }
    return true;
  }

  #moved(from: Arg, source: number, destination: number, origin: Node["origin"]): Arg {
    const name = this.#builder.fresh("movedim");
    const type = from.kind === "value" ? this.#builder.typeOf(from.name) : undefined;
    this.#builder.setType(name, moveType(type, source, destination));
    this.#push(movedim(name, from, source, destination, origin));
    return { kind: "value", name };
  }

  #typesOf(names: readonly string[]): ReadonlyMap<string, ValueType> {
    return new Map(
      names.flatMap((name) => {
        const type = this.#builder.typeOf(name);
        return type === undefined ? [] : [[name, type] as const];
      }),
    );
  }
}

function isZero(arg: Arg | undefined): boolean {
  return arg?.kind === "int" && Number(arg.value) === 0;
}

/** Creates an empty result. Returns null where its sizes are unknown. */
function emptyTensor(name: string, type: ValueType | undefined, origin: Node["origin"]): Node | null {
  if (type?.kind !== "tensor") return null;
  const items = type.shape.flatMap((value): Arg[] => (typeof value === "number" ? [{ kind: "int", value }] : []));
  if (items.length < type.shape.length) return null;
  const args: NamedArg[] = [
    { name: "size", arg: { kind: "list", items } },
    { name: "fill_value", arg: { kind: "int", value: 0 } },
    { name: "dtype", arg: { kind: "dtype", value: type.dtype } },
    { name: "device", arg: { kind: "device", value: type.device } },
  ];
  return { name, op: "aten::full", args, outputs: [{ kind: "value", name }], origin };
}

function movedim(name: string, self: Arg, source: number, destination: number, origin: Node["origin"]): Node {
  const int = (arg: string, value: number): NamedArg => ({ name: arg, arg: { kind: "int", value } });
  const args = [{ name: "self", arg: self }, int("source", source), int("destination", destination)];
  return { name, op: "aten::movedim.int", args, outputs: [{ kind: "value", name }], origin };
}

function moveType(type: ValueType | undefined, source: number, destination: number): ValueType | undefined {
  if (type?.kind !== "tensor") return undefined;
  const move = <T>(list: readonly T[]): readonly T[] => {
    const [from, to] = [normalDim(source, list.length), normalDim(destination, list.length)];
    return list.toSpliced(from, 1).toSpliced(to, 0, list[from]!);
  };
  return { ...type, shape: move(type.shape), strides: move(type.strides) };
}
