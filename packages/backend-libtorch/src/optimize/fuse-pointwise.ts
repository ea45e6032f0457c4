import { contiguousStrides, Pt2Error } from "@pt2/format";
import { type Arg, argOf, definitionsOf, type Graph, type Node, type OpName, type Program, usesOf } from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import { argValue, requireArgumentValues, resolveArgs, type TensorMeta, typeScalarCall } from "@pt2/registry";
import { simplify, typeExpr } from "@pt2/registry/scalar";
import { mergeGroups } from "./merge-groups.ts";
import { functionsOf, isPointwise, type PointwiseCode } from "./pointwise-code.ts";
import { type Group, grouped, type Member, readersOf } from "./pointwise-group.ts";
import { roundingOf } from "./round-halves.ts";
import type { OptimizeTarget } from "./target.ts";

/** The op that a group becomes. */
export const POINTWISE: OpName = "pt2::pointwise";

/**
 * Joins elementwise nodes that read one another into one that makes a single pass over memory, with as many results as
 * are read elsewhere: an optimizer's update of a parameter becomes one node. Only the record of an op says what it
 * computes, so ops of users are joined too.
 *
 * A group takes the place of its last node. No node outside reads the group before that, so the order of the others
 * stays. Its results lie in memory as those of the single nodes would, because some of PyTorch's kernels read them in
 * that order: only nodes are joined whose results all follow the layout of one tensor.
 */
export function fusePointwise(program: Program, target: OptimizeTarget): Program {
  if (!target.has(POINTWISE)) return program;
  const { graph } = program;
  // What nothing reads stays as it is.
  const groups = groupsOf(program, target).filter(
    ({ members, code }) => code.names.length > 0 && (members.length > 1 || isSlowInAten(code, graph)),
  );
  if (groups.length === 0) return program;
  const last = new Map(groups.map((group) => [group.place, group]));
  const joined = new Set(groups.flatMap(({ members }) => members.map(({ node }) => node)));
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) {
    const group = last.get(node);
    if (group !== undefined) builder.push(nodeOf(group, builder.fresh("pointwise")));
    else if (!joined.has(node)) builder.push(node);
  }
  return { ...program, graph: builder.build(graph.outputs) };
}

/** Groups that nodes may still join: nothing outside has read their results. */
class OpenGroups {
  /** The group of each value, while it is open. */
  readonly #of = new Map<string, Group>();
  readonly #all = new Set<Group>();

  get all(): readonly Group[] {
    return [...this.#all];
  }

  /** The values that open groups compute. */
  get values(): readonly string[] {
    return [...this.#of.keys()];
  }

  groupOf(value: string): Group | undefined {
    return this.#of.get(value);
  }

  open(group: Group, replaced: Iterable<Group>): void {
    for (const old of replaced) this.#all.delete(old);
    this.#all.add(group);
    for (const { name } of group.members) this.#of.set(name, group);
  }

  /** Ends the groups that a node outside reads. */
  close(read: Iterable<string>): void {
    for (const name of read) {
      for (const member of this.#of.get(name)?.members ?? []) this.#of.delete(member.name);
    }
  }
}

function groupsOf(program: Program, target: OptimizeTarget): readonly Group[] {
  const { graph } = program;
  const order = new Map(graph.nodes.map((node, i) => [node, i]));
  const readers = readersOf(graph);
  const layouts = new Layouts(program, target);
  const open = new OpenGroups();
  for (const node of graph.nodes) {
    const member = memberOf(node, graph, layouts, target);
    const uses = [...new Set(usesOf(node))];
    if (member === null) {
      // What is joined runs later than some of its nodes were, and must not find other values then.
      open.close(target.isPure(node) ? uses : open.values);
      continue;
    }
    const { layout } = member;
    const candidates = new Set(uses.flatMap((name) => open.groupOf(name) ?? []));
    let [group, taken]: [Group | null, Group[]] = [grouped({ layout, members: [member] }, readers), []];
    for (const candidate of candidates) {
      if (candidate.layout !== layout) continue;
      const members = [...candidate.members, ...(group?.members ?? [member])];
      const wider = grouped(
        { layout, members: members.toSorted((a, b) => order.get(a.node)! - order.get(b.node)!) },
        readers,
      );
      if (wider === null) continue;
      [group, taken] = [wider, [...taken, candidate]];
    }
    open.close(
      [...candidates]
        .filter((other) => !taken.includes(other))
        .flatMap(({ members }) => members.map(({ name }) => name)),
    );
    if (group !== null) open.open(group, taken);
  }
  return mergeGroups(open.all, { graph, readers, isPure: (node) => target.isPure(node) });
}

/** What the layout of contiguous values is said to come from. */
const CONTIGUOUS = "";
/** Ops whose results are contiguous, and ops that give a contiguous tensor other sizes. */
const PRODUCTS: ReadonlySet<OpName> = new Set(["aten::mm", "aten::bmm", "aten::addmm", "aten::linear"]);
const RESHAPES: ReadonlySet<OpName> = new Set(["aten::reshape", "aten::view"]);

/** Views that take a part of a tensor, or have its elements in another order: where it has no stride of 0, they have none. */
const PARTS: ReadonlySet<OpName> = new Set([
  "aten::split_with_sizes",
  "aten::split.Tensor",
  "aten::chunk",
  "aten::slice.Tensor",
  "aten::narrow",
  "aten::select.int",
  "aten::permute",
  "aten::transpose.int",
]);

/** Where the layouts of values come from. */
class Layouts {
  /** The values of elementwise nodes, and those that they have the layout of. */
  readonly #roots = new Map<string, string>();
  readonly #dense: ReadonlySet<string>;
  readonly #views = new Set<string>();

  constructor({ graph, inputs }: Program, target: OptimizeTarget) {
    const state = inputs.flatMap((spec) => (spec.kind === "parameter" || spec.kind === "buffer" ? [spec.value] : []));
    const dense = new Set(state.filter((name) => isContiguous(graph.values.get(name))));
    for (const node of graph.nodes) {
      const from = argOf(node, "self");
      const isReshaped = RESHAPES.has(node.op) && from?.kind === "value" && dense.has(from.name);
      if (PRODUCTS.has(node.op) || isReshaped) for (const name of definitionsOf(node)) dense.add(name);
    }
    this.#dense = dense;
    for (const node of graph.nodes) {
      if ((target.effectsOf(node.op)?.aliases.length ?? 0) === 0) continue;
      const from = argOf(node, "self");
      if (PARTS.has(node.op) && from?.kind === "value" && !this.#views.has(from.name)) continue;
      for (const name of definitionsOf(node)) this.#views.add(name);
    }
  }

  /** Returns what a value has the layout of; null if it may be a view, whose strides may be 0. */
  rootOf(name: string): string | null {
    if (this.#dense.has(name)) return CONTIGUOUS;
    return this.#roots.get(name) ?? (this.#views.has(name) ? null : name);
  }

  set(name: string, root: string): void {
    this.#roots.set(name, root);
  }
}

function isContiguous(type: ReturnType<Graph["values"]["get"]>): boolean {
  return type?.kind === "tensor" && `${type.strides}` === `${contiguousStrides(type.shape as readonly number[])}`;
}

/** With fewer elements, what it takes to begin a pass is more than it saves. */
const LEAST_ALONE = 4096;

/**
 * Whether a pass takes less time than ATen's own kernel: a fifth for a tanh, half for what contains one (GELU's
 * approximation), for an exp and for an erf; other kernels of ATen are at least as fast.
 */
function isSlowInAten(code: PointwiseCode, { values }: Graph): boolean {
  const type = values.get(code.names[0]!);
  const count = type?.kind === "tensor" ? type.shape.reduce<number>((n, size) => n * Number(size), 1) : Number.NaN;
  if (!(count >= LEAST_ALONE)) return false;
  const functions = functionsOf(code);
  return functions.includes("tanh") || /^(exp|erf)$/.test(functions.join());
}

const LITERALS: ReadonlySet<Arg["kind"]> = new Set(["none", "value", "int", "float", "bool", "string", "dtype"]);

/** Returns what an elementwise node of float32 and bool tensors computes; null for others. */
function memberOf(node: Node, { values }: Graph, layouts: Layouts, target: OptimizeTarget): Member | null {
  const [output] = node.outputs;
  if (node.outputs.length !== 1 || output?.kind !== "value") return null;
  if (!node.args.every(({ arg }) => LITERALS.has(arg.kind))) return null;
  const metas = new Map<string, TensorMeta>();
  for (const name of usesOf(node)) {
    const meta = metaOf(values.get(name));
    if (meta === null) return null;
    metas.set(name, meta);
  }
  const computed = computedBy(node, metas, target);
  const sizes = sizesOf(values.get(output.name));
  if (computed === null || computed.expr.dtype !== metaOf(values.get(output.name))?.dtype || sizes === "[]")
    return null;
  const { operands } = computed;
  const model = operands.find((name) => sizesOf(values.get(name)) === sizes || !isOneElement(values.get(name)));
  const root = model === undefined || sizesOf(values.get(model)) !== sizes ? null : layouts.rootOf(model);
  if (model === undefined || root === null) return null;
  layouts.set(output.name, root);
  return { node, name: output.name, ...computed, model, layout: `${sizes} ${root}` };
}

/** Returns the expression of the result's elements by those of tensors; null for ops that the kernel does not compute. */
function computedBy(
  node: Node,
  metas: ReadonlyMap<string, TensorMeta>,
  target: OptimizeTarget,
): Pick<Member, "expr" | "operands"> | null {
  const rounding = roundingOf(node);
  if (rounding !== null) return { expr: rounding, operands: usesOf(node) };
  const record = target.isClaimed(node.op) ? undefined : target.recordOf(node.op);
  if (record?.scalar === undefined) return null;
  try {
    const given = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, metas, node)]));
    const args = resolveArgs(record.schema, given);
    requireArgumentValues(record, args, node);
    const { dtype, compute, expr, operands } = typeScalarCall(record, args);
    const typed = simplify(typeExpr(expr, { compute, operands: operands.map((o) => o.dtype), result: dtype }));
    const names = new Map([...metas].map(([name, meta]) => [meta, name]));
    return isPointwise(typed) ? { expr: typed, operands: operands.map((operand) => names.get(operand)!) } : null;
  } catch (problem) {
    // PyTorch refuses the node too, when it runs.
    if (problem instanceof Pt2Error) return null;
    throw problem;
  }
}

/** Dtype and number of dimensions of a tensor that the kernel takes: the sizes decide nothing here. */
function metaOf(type: ReturnType<Graph["values"]["get"]>): TensorMeta | null {
  if (type?.kind !== "tensor" || (type.dtype !== "float32" && type.dtype !== "bool")) return null;
  return { dtype: type.dtype, shape: type.shape.map(() => 1) };
}

/** Whether a tensor has one element: the order of memory of what is computed of it and others is that of these. */
function isOneElement(type: ReturnType<Graph["values"]["get"]>): boolean {
  return type?.kind === "tensor" && type.shape.every((size) => size === 1);
}

function sizesOf(type: ReturnType<Graph["values"]["get"]>): string {
  const shape = type?.kind === "tensor" ? type.shape : [];
  return JSON.stringify(shape, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

function nodeOf({ members, code, place }: Group, name: string): Node {
  const { origin } = place;
  const ints = (values: readonly number[]): Arg => ({
    kind: "list",
    items: values.map((value) => ({ kind: "int", value })),
  });
  const args: Readonly<Record<string, Arg>> = {
    inputs: { kind: "list", items: code.inputs.map((input) => ({ kind: "value", name: input })) },
    constants: { kind: "list", items: code.constants.map((value) => ({ kind: "float", value })) },
    code: ints(code.code),
    results: ints(code.results),
    masks: ints(code.masks),
  };
  return {
    name,
    op: POINTWISE,
    args: Object.entries(args).map(([key, arg]) => ({ name: key, arg })),
    outputs: [{ kind: "list", names: code.names }],
    origin: { ...origin, joined: members.flatMap(({ node }) => node.origin.joined ?? [node]) },
  };
}
