import { Pt2Error } from "@pt2/format";
import type { Node, OpName } from "@pt2/graph";
import type { ArgValue, Builder } from "../builder.ts";
import type { OpRecord } from "../op.ts";
import type { OpRegistry } from "../op-registry.ts";
import { resolveArgs } from "../op-registry.ts";
import { isComplexCall, scalarMeta } from "../promotion.ts";
import { registryError } from "../registry-errors.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { contiguous } from "../view.ts";
import { describe } from "./arguments.ts";
import type { Call } from "./call.ts";
import { typedCall } from "./elementwise.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";

/** What a backend says while a program is lowered for it. */
export interface LowerTarget {
  /** Name of the backend, for messages. */
  readonly name: string;
  /** Whether it runs this op itself. It is not asked for elementwise ops and views, which every backend has. */
  isNative(op: OpName, args: Readonly<Record<string, ArgValue>>): boolean;
}

/** Decompositions nest; a chain deeper than this is a cycle between records. */
const MAX_DEPTH = 32;

/**
 * Turns one op on concrete arguments into calls: the op itself where the backend has it, else its decomposition,
 * recursively. Handlers that rewrite come first.
 */
export class Emitter {
  readonly calls: Call[] = [];
  readonly #registry: OpRegistry;
  readonly #target: LowerTarget;

  constructor(registry: OpRegistry, target: LowerTarget) {
    this.#registry = registry;
    this.#target = target;
  }

  emit(op: OpName, given: Readonly<Record<string, ArgValue>>, node: Node, depth = 0): readonly ArgValue[] {
    const record = this.#registry.resolve(op);
    if (record === undefined) throw unsupported(op, node, this.#target.name, "the registry has no record of it");
    const args = resolveArgs(record.schema, given, () => describe(node));
    if (depth > MAX_DEPTH) throw unsupported(op, node, this.#target.name, "its decomposition refers back to itself");
    const problem = record.validate?.(args);
    if (problem) throw registryError("registry.argument", { what: `${op}: ${problem}`, where: describe(node) });

    const rewritten = this.#registry.handlerOf(op)?.rewrite?.(args, this.#builder(node, depth));
    if (rewritten !== undefined) return resultsOf(record, rewritten);
    // Scalar expressions are real; a complex call goes the way of any other op.
    if (record.scalar !== undefined && !isComplexCall(record, args)) {
      const scalar = typedCall(record, args);
      return this.#push({ record, kind: "scalar", args, scalar, results: [tensor(scalar, node, depth)], node });
    }
    if (record.view !== undefined) {
      return this.#push({
        record,
        kind: "view",
        args,
        results: named(this.infer(record, args, node), node, depth),
        node,
      });
    }
    if (this.#target.isNative(op, args)) {
      return this.#push({
        record,
        kind: "native",
        args,
        results: named(this.infer(record, args, node), node, depth),
        node,
      });
    }
    // Inference refuses what cannot be combined; a decomposition may not notice.
    if (record.infer !== undefined) this.infer(record, args, node);
    const simpler = record.decompose?.(args, this.#builder(node, depth));
    if (simpler === undefined || simpler === null) {
      if (isFree(record)) return named(this.infer(record, args, node), node, depth);
      throw unsupported(op, node, this.#target.name, "it has neither a kernel nor a decomposition");
    }
    return resultsOf(record, simpler);
  }

  /** Result metas of a call, without emitting anything: from `infer`, from `view`, or from a trial decomposition. */
  infer(record: OpRecord, args: Readonly<Record<string, ArgValue>>, node: Node): readonly ArgValue[] {
    try {
      if (record.infer !== undefined) return resultsOf(record, record.infer(args));
      if (record.scalar !== undefined) return [scalarMeta(record, args)];
      if (record.view !== undefined) return [viewMeta(record, args)];
    } catch (error) {
      if (error instanceof Pt2Error && error.where === undefined) {
        throw new Pt2Error(error.code, { what: error.what, where: describe(node), advice: error.advice, cause: error });
      }
      throw error;
    }
    const trial = new Emitter(this.#registry, this.#target);
    const simpler = record.decompose?.(args, trial.#builder(node, 0));
    return simpler === undefined || simpler === null ? [] : resultsOf(record, simpler);
  }

  #builder(node: Node, depth: number): Builder {
    const call = (op: OpName, args: Readonly<Record<string, ArgValue>>) => this.emit(op, args, node, depth + 1);
    return { call, tensor: (op, args) => call(op, args)[0] as TensorMeta };
  }

  #push(call: Call): readonly ArgValue[] {
    this.calls.push(call);
    return call.results;
  }
}

/** One entry per return, whatever shape a rule answered in. */
function resultsOf(record: OpRecord, answer: ArgValue | undefined): readonly ArgValue[] {
  const { returns } = record.schema;
  if (returns.length === 0 || answer === undefined) return [];
  return returns.length === 1 ? [answer] : (answer as readonly ArgValue[]);
}

/** An op without tensors in its results (`sym_size`, `_assert_scalar`) costs nothing: its inference is its value. */
function isFree(record: OpRecord): boolean {
  return (
    record.infer !== undefined && record.schema.returns.every((r) => r.type.kind === "base" && r.type.base !== "Tensor")
  );
}

function viewMeta(record: OpRecord, args: Readonly<Record<string, ArgValue>>): ArgValue {
  const source = args[record.schema.args[0]!.name] as TensorMeta;
  const geometry = record.view!(contiguous(source.shape), args);
  const meta = (shape: readonly number[]): TensorMeta => ({ dtype: source.dtype, shape });
  if (geometry === null)
    throw registryError("registry.shape", { what: `${record.name} cannot view a tensor of shape [${source.shape}]` });
  return "strides" in geometry ? meta(geometry.shape) : geometry.map((g) => meta(g.shape));
}

function named(results: readonly ArgValue[], node: Node, depth: number): readonly ArgValue[] {
  return results.map((r) => {
    if (Array.isArray(r)) return named(r, node, depth);
    return typeof r === "object" && r !== null && "shape" in r ? tensor(r, node, depth) : r;
  });
}

/** A fresh tensor: results of different calls are different objects even when their metas are equal. */
function tensor(meta: TensorMeta, node: Node, depth: number): LoweredTensor {
  return { dtype: meta.dtype, shape: meta.shape, name: depth === 0 ? node.name : `${node.name}.${depth}` };
}

function unsupported(op: OpName, node: Node, backend: string, why: string): Pt2Error {
  return registryError("registry.unsupported-op", {
    what: `${op} cannot run on ${backend}: ${why}`,
    where: describe(node),
    advice: "Give load() a handler or an op set that has it, or choose a backend that runs it.",
    details: { op },
  });
}
