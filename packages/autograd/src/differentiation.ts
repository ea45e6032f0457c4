import { type Arg, type Bindings, describeNode, type Graph, type Node, type OpName } from "@pt2/graph";
import { mapValues } from "@pt2/graph/passes";
import {
  type ArgValue,
  argValue,
  type Builder,
  builderOf,
  evaluateSymbolic,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
  type TensorMeta,
} from "@pt2/registry";
import { NotLoaded, onDemand, requireFits } from "@pt2/registry/on-demand";
import { autogradError } from "./autograd-errors.ts";
import { isDifferentiable } from "./differentiable.ts";
import type { GradientRule } from "./gradient-rule.ts";
import { gradientRuleOf } from "./gradient-rule-of.ts";
import { WITH_DATA } from "./prepare-for-grad.ts";
import { recompute } from "./recompute.ts";
import { FORMS } from "./rules/forms.ts";
import { isComplexCall } from "./rules/gradient-rules.ts";
import { Trace, type TracedCall } from "./trace.ts";

/** A call that gradients flow through. */
interface TapeEntry extends TracedCall {
  readonly rule: GradientRule;
  readonly node: Node;
}

/** The values of a graph's placeholders by name, and the numbers that its symbols stand for. */
export interface GraphInputs {
  readonly inputs: ReadonlyMap<string, ArgValue>;
  readonly bindings: Bindings;
}

/** Ops that no gradient flows through. */
const CUT: ReadonlySet<OpName> = new Set(["aten::detach", "aten::detach_copy"]);

/** Ops that take only what lies in memory as its type says: on some backends, results of decompositions do not. */
const READ_MEMORY: ReadonlySet<OpName> = new Set(["aten::view_as_complex", "aten::view.dtype"]);

/** Decompositions nest; a deeper chain than this is a cycle between records. */
const MAX_DEPTH = 32;

/**
 * Reverse-mode differentiation of one graph whose sizes are numbers. The forward calls are traced first; ops without a
 * gradient rule are replaced by their decompositions there, so that nothing is computed twice, and random numbers are
 * drawn once. The calls are then visited in reverse, and each adds the gradients of its arguments.
 */
export class Differentiation {
  readonly #registry: OpRegistry;
  readonly #graph: Graph;
  readonly #trace: Trace;
  #env: Map<string, ArgValue>;
  /** The tensors that depend on what gradients are taken of. */
  readonly #active: Set<TensorMeta>;
  readonly #tape: TapeEntry[] = [];
  readonly #gradients = new Map<TensorMeta, TensorMeta>();
  #forwardNodes = 0;

  /** `inputs` has the values of the graph's placeholders by name; gradients are taken of those in `wrt`. */
  constructor(registry: OpRegistry, graph: Graph, { inputs, bindings }: GraphInputs, wrt: Iterable<string>) {
    this.#registry = registry;
    this.#graph = graph;
    this.#env = new Map(inputs);
    this.#trace = new Trace(registry, graph, bindings);
    for (const [name, value] of inputs) if (isTensorMeta(value)) this.#trace.declare(name, value);
    this.#active = new Set([...wrt].map((name) => inputs.get(name) as TensorMeta));
  }

  /** Traces the forward nodes. */
  forward(): void {
    for (const node of this.#graph.nodes) this.#forwardNode(node, node.outputs);
    this.#forwardNodes = this.#trace.length;
  }

  /** Returns the value of an argument of the graph's outputs. */
  valueOf(arg: Arg): ArgValue {
    return argValue(arg, this.#env, OUTPUT);
  }

  /** Computes the gradients of a number with respect to everything that it depends on. */
  backward(loss: TensorMeta, node: Node = OUTPUT): void {
    if (!this.#active.has(loss)) return;
    const seed = this.#builder(node).tensor("aten::full", { size: loss.shape, fill_value: 1, dtype: loss.dtype });
    this.#gradients.set(loss, seed);
    for (const entry of this.#tape.toReversed()) this.#backwardCall(entry);
  }

  /** Returns the gradient of a placeholder: zeros where the loss does not depend on it. */
  gradientOf(name: string): TensorMeta {
    const value = this.#env.get(name) as TensorMeta;
    const { shape, dtype } = value;
    return (
      this.#gradients.get(value) ?? this.#builder(OUTPUT).tensor("aten::full", { size: shape, fill_value: 0, dtype })
    );
  }

  /** Returns the graph with these outputs; `isSmall`: it keeps less in memory, and computes more (see `recompute`). */
  build(outputs: readonly Arg[], isSmall: boolean): Graph {
    const graph = this.#trace.build(outputs);
    return isSmall ? recompute(graph, this.#forwardNodes, this.#registry) : graph;
  }

  /** Returns the argument that stands for a value. */
  argOf(value: ArgValue): Arg {
    return this.#trace.argOf(value);
  }

  /** Traces a node whose results are to have the names of `outputs`. */
  #forwardNode(node: Node, outputs: Node["outputs"]): void {
    if (node.args.some(({ arg }) => hasGraph(arg))) {
      this.#nested(node, outputs);
      return;
    }
    const symbolic = evaluateSymbolic(node, (i) => argValue(node.args[i]!.arg, this.#env, node));
    if (symbolic !== undefined) {
      this.#bind(node, [symbolic]);
      return;
    }
    const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, this.#env, node)]));
    if (node.op === WITH_DATA) {
      this.#bind(node, [this.#withData(args, node)]);
      return;
    }
    // What an in-place call wrote to says something of its result, and nothing of those of simpler ops and of gradients.
    const { written, ...plain } = node;
    const results = this.#call(node.op, args, { ...plain, outputs }, 0);
    if (written !== undefined) requireFits(results[0], this.#recordOf(node.op, node), args, node);
    this.#bind(node, results);
  }

  /** Calls an op: itself if gradients flow through it by a rule, or not at all; otherwise in simpler ops. */
  #call(op: OpName, asked: TracedCall["args"], node: Node, depth: number): readonly ArgValue[] {
    const given = READ_MEMORY.has(op) ? { ...asked, self: this.#rowMajor(asked.self ?? null, node, depth) } : asked;
    const isActive = Object.values(given).some((value) => this.#isActive(value));
    if (CUT.has(op) || (!isActive && !isReshaping(op))) return this.#trace.call(op, given, node).results;
    const form =
      depth < MAX_DEPTH ? FORMS[op]?.(this.#resolved(op, given, node), this.#forwardBuilder(node, depth)) : null;
    if (form !== null && form !== undefined) return [form];
    const record = this.#recordOf(op, node);
    if (gradientRuleOf(record, given) !== null) {
      const call = this.#trace.call(op, given, node);
      // An op set may have replaced the op by another one.
      return this.#record(call, gradientRuleOf(call.record, call.args)!, node);
    }
    const results = record.decompose && depth < MAX_DEPTH ? this.#simpler(record, given, node, depth) : null;
    if (results !== null) return results;
    return this.#record(this.#trace.call(op, given, node), refusing(op, node, isComplexCall(op, given)), node);
  }

  #rowMajor(self: ArgValue, node: Node, depth: number): ArgValue {
    return this.#call("aten::clone", { self, memory_format: "contiguous_format" }, node, depth + 1)[0] ?? null;
  }

  #simpler(record: OpRecord, given: TracedCall["args"], node: Node, depth: number): readonly ArgValue[] | null {
    const answer = record.decompose?.(this.#resolved(record.name, given, node), this.#forwardBuilder(node, depth)) as
      | ArgValue
      | undefined;
    if (answer === null || answer === undefined) return null;
    return record.schema.returns.length === 1 ? [answer] : (answer as readonly ArgValue[]);
  }

  /** What a tensor is once its memory was written to past autograd: as written, with the previous gradient. */
  #withData({ self = null, src = null }: TracedCall["args"], node: Node): ArgValue {
    const call = this.#trace.call("aten::detach", { self: src }, node);
    const [written] = call.results;
    if (this.#isActive(self)) this.#record({ ...call, args: { self } }, passOn, node);
    return written ?? null;
  }

  /** Notes a call for the way back. */
  #record(call: TracedCall, rule: GradientRule, node: Node): readonly ArgValue[] {
    const made = call.results.flat().filter(isDifferentiable);
    if (made.length > 0) this.#tape.push({ ...call, rule, node });
    for (const result of made) this.#active.add(result);
    return call.results;
  }

  #recordOf(op: OpName, node: Node): OpRecord {
    const record = this.#registry.resolve(op);
    if (record !== undefined) return record;
    if (!this.#registry.isLoaded(op)) throw new NotLoaded(op, () => this.#registry.load([op]));
    throw autogradError("autograd.unknown-op", {
      what: `${op} is not known`,
      where: describeNode(node),
      advice: "Check its name, or pass the op set that defines it as `ops`.",
      details: { op },
    });
  }

  #resolved(op: OpName, given: TracedCall["args"], node: Node): TracedCall["args"] {
    return resolveArgs(this.#recordOf(op, node).schema, given, () => describeNode(node));
  }

  #backwardCall(entry: TapeEntry): void {
    const { record, args, results, rule, node } = entry;
    const tensors = results.flat().filter(isTensorMeta);
    const grads = tensors.map((result) => this.#gradients.get(result) ?? null);
    if (grads.every((grad) => grad === null)) return;
    const b = this.#builder(node);
    if (rule.firstOnly === true && grads.slice(1).some((grad) => grad !== null)) {
      this.#throughDecomposition(entry);
      return;
    }
    const wants = (name: string): boolean => this.#isActive(args[name] ?? null);
    const found = rule({ args, results: tensors, grads, wants, node }, b);
    for (const [name, gradient] of Object.entries(found)) {
      const operands = [args[name] ?? null].flat() as readonly ArgValue[];
      for (const [i, each] of ([gradient].flat() as readonly (TensorMeta | null)[]).entries()) {
        const operand = operands[i] ?? null;
        if (each !== null && isTensorMeta(operand) && this.#isActive(operand))
          this.#add(operand, each, node, record.name);
      }
    }
  }

  /** Computes a call again in simpler ops, and lets the gradients of its results flow through these. */
  #throughDecomposition({ record, args, results, node }: TapeEntry): void {
    const start = this.#tape.length;
    const made = this.#simpler(record, args, node, 0);
    if (made === null) throw noGradient(record.name, node);
    const entries = this.#tape.splice(start);
    const simpler = made.flat();
    for (const [i, result] of results.flat().entries()) {
      const grad = isTensorMeta(result) ? this.#gradients.get(result) : undefined;
      const target = simpler[i] ?? null;
      if (grad !== undefined && isTensorMeta(target)) this.#add(target, grad, node, record.name);
    }
    for (const entry of entries.toReversed()) this.#backwardCall(entry);
  }

  #add(operand: TensorMeta, gradient: TensorMeta, node: Node, op: OpName): void {
    if (gradient.dtype !== operand.dtype || `${gradient.shape}` !== `${operand.shape}`) {
      throw autogradError("autograd.rule", {
        what: `The gradient rule of ${op} returns ${describe(gradient)} for an argument that is ${describe(operand)}`,
        where: describeNode(node),
        advice: "Sum the gradient over the dimensions that broadcasting added or enlarged, and convert it.",
        details: { op },
      });
    }
    const before = this.#gradients.get(operand);
    this.#gradients.set(
      operand,
      before === undefined
        ? gradient
        : this.#builder(node).tensor("aten::add.Tensor", { self: before, other: gradient }),
    );
  }

  #forwardBuilder(node: Node, depth: number): Builder {
    return builderOf((op, args) => this.#call(op, args, node, depth + 1));
  }

  #builder(node: Node): Builder {
    return builderOf((op, args) => this.#trace.call(op, args, node).results);
  }

  #isActive(value: ArgValue): boolean {
    if (Array.isArray(value)) return (value as readonly ArgValue[]).some((each) => this.#isActive(each));
    return isTensorMeta(value) && this.#active.has(value);
  }

  /** Takes over a node with nested graphs; a loop that gradients flow through is done step by step. */
  #nested(node: Node, outputs: Node["outputs"]): void {
    const graphs = node.args.flatMap(({ arg }) => (arg.kind === "graph" ? [arg.graph] : []));
    // These ops take their arguments by position.
    const operands = node.args.flatMap(({ arg }) => (arg.kind === "graph" ? [] : [argValue(arg, this.#env, node)]));
    if (!this.#isActive(operands) && outputs === node.outputs) {
      this.#copy(node);
      return;
    }
    const b = this.#forwardBuilder({ ...node, outputs: [] }, 0);
    const results = loops().unrolled(node.op, operands, (inputs) => this.#run(graphs[0]!, inputs), b);
    if (results === null) throw noGradient(node.op, node);
    this.#bind(node, node.outputs[0]?.kind === "list" ? [results] : results);
  }

  /** Traces the nodes of a nested graph, whose names are those of other values elsewhere. */
  #run(graph: Graph, inputs: readonly ArgValue[]): readonly ArgValue[] {
    const outer = this.#env;
    this.#env = new Map(graph.inputs.flatMap((name, i) => (name === null ? [] : [[name, inputs[i] ?? null]])));
    for (const node of graph.nodes) this.#forwardNode(node, []);
    const results = graph.outputs.map((arg) => this.valueOf(arg));
    this.#env = outer;
    return results;
  }

  #copy(node: Node): void {
    const results = node.outputs.map((output): ArgValue => {
      if (output.kind === "none") return null;
      if (output.kind === "list") return output.names.map((name) => this.#declared(name, node));
      return this.#declared(output.name, node);
    });
    const renamed = mapValues(node, (name) => this.#trace.argOf(this.#env.get(name) ?? null));
    this.#trace.copy(renamed, results);
    this.#bind(node, results);
  }

  #declared(name: string, node: Node): TensorMeta {
    const type = this.#graph.values.get(name);
    if (type?.kind === "tensor" && type.shape.every((size) => typeof size === "number")) {
      return { dtype: type.dtype, shape: type.shape as readonly number[] };
    }
    throw autogradError("autograd.sizes", {
      what: `The size of %${name} is not a number`,
      where: describeNode(node),
      advice: "Export the program with fixed sizes.",
    });
  }

  #bind(node: Node, results: readonly ArgValue[]): void {
    for (const [i, output] of node.outputs.entries()) {
      const result = results[i] ?? null;
      if (output.kind === "value") this.#env.set(output.name, result);
      if (output.kind !== "list") continue;
      for (const [k, name] of output.names.entries()) this.#env.set(name, (result as readonly ArgValue[])[k] ?? null);
    }
  }
}

const loops = onDemand("gradients of loops", () => import("./loops.ts"));

/** The rule of an op that has none: only a loss that depends on its results asks. */
function refusing(op: OpName, node: Node, isComplex: boolean): GradientRule {
  return () => {
    throw noGradient(op, node, isComplex);
  };
}

/** The gradient of what is its argument. */
const passOn: GradientRule = ({ grads: [self] }) => ({ self: self ?? null });

const OUTPUT: Node = { name: "output", op: "return", args: [], outputs: [], origin: {} };

/** Views that become reshapes everywhere: copies between them may be gone. */
function isReshaping(op: OpName): boolean {
  return op === "aten::view" || op === "aten::_unsafe_view";
}

function hasGraph(arg: Arg): boolean {
  return arg.kind === "graph" || (arg.kind === "list" && arg.items.some(hasGraph));
}

function describe({ dtype, shape }: TensorMeta): string {
  return `${dtype} [${shape.join(", ")}]`;
}

function noGradient(op: OpName, node: Node, isComplex = false): Error {
  return autogradError("autograd.no-gradient", {
    what: `${op} has no gradient rule${isComplex ? " for complex numbers" : ""}, and the loss depends on it`,
    where: describeNode(node),
    advice: "Give its record a `gradient` rule, or detach what it is called with.",
    details: { op },
  });
}
