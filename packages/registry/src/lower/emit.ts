import type { Pt2Error } from "@pt2/format";
import type { Node, OpName } from "@pt2/graph";
import { type Builder, builderOf } from "../builder.ts";
import { isBareUnsigned } from "../dtype-promotion.ts";
import type { OpHandler } from "../handler.ts";
import { checkLimit } from "../limits.ts";
import { loading, NotLoaded } from "../not-loaded.ts";
import type { OpRecord } from "../op.ts";
import type { OpRegistry } from "../op-registry.ts";
import { resolveArgs } from "../op-registry.ts";
import { isComplexCall, scalarMeta } from "../promotion.ts";
import { registryError } from "../registry-errors.ts";
import { hasTensor } from "../schema/has-tensor.ts";
import type { SchemaType } from "../schema/types.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { describe } from "./arguments.ts";
import type { Call } from "./call.ts";
import { requireArgumentValues } from "./check-arguments.ts";
import { typedCall } from "./elementwise.ts";
import { requireFits } from "./in-place-problem.ts";
import { isNativeIfLoaded } from "./is-native.ts";
import { located } from "./located.ts";
import type { LowerTarget } from "./lower-target.ts";
import { Recipe } from "./recipe.ts";
import { isFree, named, resultsOf, viewMeta } from "./results.ts";
import { RuntimeScalars } from "./runtime-scalar.ts";

/**
 * A target that takes every op as it is: used to infer the results of a decomposition, whether or not a backend can run
 * it.
 */
export const SHAPES_ONLY: LowerTarget = { name: "inference", isNative: () => true };

/** Decompositions nest; a deeper chain than this is a cycle between records. */
export const MAX_DEPTH = 32;

/**
 * Lowers one op with concrete arguments to calls: the op itself if the backend runs it, else its decomposition,
 * recursively. Handlers with `rewrite` come first.
 */
export class Emitter {
  readonly calls: Call[] = [];
  readonly #registry: OpRegistry;
  readonly #target: LowerTarget;
  readonly #numbers: RuntimeScalars;
  /** Whether the rewrite of a wildcard is calling: its ops are not for wildcards. */
  #inWildcard = false;
  /** The number of calls before the current node. */
  #nodeStart = 0;

  /** `numbers` records which runtime scalars the calls depend on. */
  constructor(registry: OpRegistry, target: LowerTarget, numbers: RuntimeScalars = new RuntimeScalars()) {
    this.#registry = registry;
    this.#target = target;
    this.#numbers = numbers;
  }

  /** Adds calls that were emitted for a node before. */
  repeat(calls: readonly Call[]): void {
    for (const call of calls) this.calls.push(call);
  }

  /** Emits one op of a program, as {@link emit} does, and loads the records and kernels that it needs. */
  async lower(op: OpName, given: Readonly<Record<string, ArgValue>>, node: Node): Promise<readonly ArgValue[]> {
    return await loading(() => this.emit(op, given, node));
  }

  /**
   * Emits one op of a program, for which everything is loaded. Errors name the node; a call that fails leaves no calls
   * behind.
   */
  emit(op: OpName, given: Readonly<Record<string, ArgValue>>, node: Node): readonly ArgValue[] {
    const start = this.calls.length;
    this.#nodeStart = start;
    let done = false;
    try {
      const results = located(node, () => this.#emitNode(op, given, node));
      done = true;
      return results;
    } finally {
      if (!done) this.calls.length = start;
    }
  }

  #emitNode(op: OpName, given: Call["args"], node: Node): readonly ArgValue[] {
    const results = this.#emit(op, given, node, 0);
    if (node.written !== undefined) requireFits(results[0], this.#recordOf(op), given, node);
    return results;
  }

  /** Returns the record of an op, which may have to be loaded first. */
  #recordOf(op: OpName): OpRecord | undefined {
    const registry = this.#registry;
    const record = registry.resolve(op);
    if (record === undefined && !registry.isLoaded(op)) throw new NotLoaded(op, () => registry.load([op]));
    return record;
  }

  #emit(op: OpName, given: Readonly<Record<string, ArgValue>>, node: Node, depth: number): readonly ArgValue[] {
    const record = this.#recordOf(op);
    if (record === undefined) return this.#emitUnknown(op, given, node, depth);
    const args = this.#resolve(record, given, node, keepsNumber);
    if (depth > MAX_DEPTH) throw unsupported(op, node, this.#target.name, "its decomposition refers back to itself");
    requireArgumentValues(record, args, node);

    if (this.#handlerOf(op)?.rewrite !== undefined) {
      const rewritten = this.#rewritten(op, this.#resolve(record, given, node), node, depth);
      if (rewritten !== undefined) return resultsOf(record, rewritten);
    }
    if (this.#registry.hasKernel(op, this.#target.name)) {
      const resolved = this.#resolve(record, given, node);
      if (this.#isNative(op, resolved)) return this.#pushNative(record, resolved, node, depth);
    }
    // Scalar expressions are real; a complex call is treated like any other op.
    if (record.scalar === undefined) return this.#emitStructured(record, args, node, depth);
    if (isComplexCall(record, args)) {
      return this.#emitStructured(record, this.#resolve(record, given, node), node, depth);
    }
    const scalar = typedCall(record, args, this.#numbers.fix);
    return this.#push({ record, kind: "scalar", args, scalar, results: [scalar], node }, depth);
  }

  /** Emits a call that is not elementwise: a view, a native call, or simpler ops. */
  #emitStructured(record: OpRecord, args: Call["args"], node: Node, depth: number): readonly ArgValue[] {
    const op = record.name;
    if (record.view !== undefined) {
      return this.#push({ record, kind: "view", args, results: this.infer(record, args, node, depth), node }, depth);
    }
    if (this.#isNative(op, args)) return this.#pushNative(record, args, node, depth);
    // Inference refuses arguments that cannot be combined; a decomposition may not notice.
    if (record.infer !== undefined) this.#named(this.infer(record, args, node, depth), op, node, depth);
    const decompose = (b: Builder) => record.decompose?.(args, b) as ArgValue | null | undefined;
    const isUsers = this.#registry.userSetOf(op) !== undefined;
    const simpler = isUsers ? this.#byUser(args, node, depth, decompose) : decompose(this.#builder(node, depth));
    if (simpler === undefined || simpler === null) {
      if (isFree(record)) return this.#named(this.infer(record, args, node, depth), op, node, depth);
      const { name } = this.#target;
      const why = this.#registry.lackOf(op, name) ?? "it has neither a kernel nor a decomposition";
      const unsigned = Object.values(args).some(isBareUnsigned) ? " for such integers; convert them to int64" : "";
      throw unsupported(op, node, name, why + unsigned);
    }
    return resultsOf(record, simpler);
  }

  /** Returns whether the backend runs the op itself; its kernels do not apply to an op that an op set has replaced. */
  #isNative(op: OpName, args: Call["args"]): boolean {
    const registry = this.#registry;
    if (registry.isReplaced(op) && !registry.hasKernel(op, this.#target.name)) return false;
    return isNativeIfLoaded(this.#target, op, args);
  }

  #pushNative(record: OpRecord, args: Call["args"], node: Node, depth: number): readonly ArgValue[] {
    const packaged = this.#registry.hasKernel(record.name, this.#target.name);
    const call: Call = { record, kind: "native", args, results: this.infer(record, args, node, depth), node };
    return this.#push(packaged ? { ...call, packaged: true } : call, depth);
  }

  /** Without a record there is no schema either: a handler gets the arguments as the program gives them. */
  #emitUnknown(op: OpName, given: Readonly<Record<string, ArgValue>>, node: Node, depth: number): readonly ArgValue[] {
    const rewritten = this.#rewritten(op, this.#numbers.fixAll(given), node, depth);
    if (rewritten === undefined) throw unsupported(op, node, this.#target.name, "the registry has no record of it");
    return Array.isArray(rewritten) ? (rewritten as readonly ArgValue[]) : [rewritten];
  }

  #handlerOf(op: OpName): OpHandler | undefined {
    const { withoutWildcards = this.#registry } = this.#registry;
    return (this.#inWildcard ? withoutWildcards : this.#registry).handlerOf(op);
  }

  /** Calls the `rewrite` of the op's handler; returns undefined if there is none, or if it does not apply. */
  #rewritten(op: OpName, args: Call["args"], node: Node, depth: number): ArgValue | null | undefined {
    const handler = this.#handlerOf(op);
    const rewrite = handler?.rewrite;
    if (rewrite === undefined) return undefined;
    const before = this.#inWildcard;
    this.#inWildcard ||= this.#registry.withoutWildcards?.handlerOf(op) !== handler;
    try {
      return this.#byUser(args, node, depth, (b) => rewrite(args, b, op));
    } finally {
      this.#inWildcard = before;
    }
  }

  /**
   * Infers the results of a call without emitting anything: from `infer`, from `view`, or from a trial decomposition.
   */
  infer(record: OpRecord, args: Readonly<Record<string, ArgValue>>, node: Node, depth = 0): readonly ArgValue[] {
    if (record.infer !== undefined) return resultsOf(record, record.infer(args));
    if (record.scalar !== undefined) return [scalarMeta(record, args)];
    if (record.view !== undefined) return [viewMeta(record, args)];
    const trial = this.#trial();
    const simpler = record.decompose?.(args, trial.#builder(node, depth));
    return simpler === undefined || simpler === null ? [] : resultsOf(record, simpler);
  }

  /** Resolves arguments by schema; runtime scalars are kept where a tensor is accepted, and where `keeps` says so. */
  #resolve(
    record: OpRecord,
    given: Readonly<Record<string, ArgValue>>,
    node: Node,
    keeps: (record: OpRecord, name: string) => boolean = () => false,
  ): Call["args"] {
    const { schema } = record;
    const tensors = (name: string): boolean => schema.args.some((arg) => arg.name === name && hasTensor(arg.type));
    const fixed = this.#numbers.fixAll(given, (name) => keeps(record, name) || tensors(name));
    return resolveArgs(schema, fixed, () => describe(node));
  }

  /**
   * Calls a rule of a user. If a kernel may have to be loaded, the rule's calls are first recorded, with inferred
   * results, and emitted when the rule has returned: so loading never interrupts code of users.
   */
  #byUser(
    args: Call["args"],
    node: Node,
    depth: number,
    rule: (b: Builder) => ArgValue | null | undefined,
  ): ArgValue | null | undefined {
    if (this.#target.loadKernels === undefined) return rule(this.#builder(node, depth));
    const trial = this.#trial();
    const recipe = new Recipe(args, (op, given) => trial.#emit(op, given, node, depth + 1));
    const answer = rule(recipe.builder);
    return recipe.replay(answer, (op, given) => this.#emit(op, given, node, depth + 1));
  }

  /** Makes an emitter that only infers results. */
  #trial(): Emitter {
    const trial = new Emitter(this.#registry, SHAPES_ONLY, this.#numbers);
    trial.#inWildcard = this.#inWildcard;
    return trial;
  }

  #builder(node: Node, depth: number): Builder {
    return builderOf((op, args) => this.#emit(op, args, node, depth + 1));
  }

  /** Adds a call, whose results are metas at first. */
  #push(call: Call, depth: number): readonly ArgValue[] {
    const { record, node } = call;
    checkLimit("calls", this.calls.length + 1, record.name);
    checkLimit("callsPerNode", this.calls.length + 1 - this.#nodeStart, record.name);
    const results = this.#named(call.results, record.name, node, depth);
    this.calls.push({ ...call, results });
    return results;
  }

  #named(results: readonly ArgValue[], op: OpName, node: Node, depth: number): readonly ArgValue[] {
    return named(results, this.#target.maxTensorBytes ?? Number.MAX_SAFE_INTEGER, op, node, depth);
  }
}

/** Returns whether the rules accept a runtime scalar for this argument, as they accept a tensor. */
function keepsNumber({ schema, scalar, validate, numbers = [] }: OpRecord, argument: string): boolean {
  if (scalar === undefined || validate !== undefined) return numbers.includes(argument);
  return schema.args.some(({ name, type }) => name === argument && isScalarType(type));
}

function isScalarType(type: SchemaType): boolean {
  return type.kind === "base" ? type.base === "Scalar" : type.kind === "optional" && isScalarType(type.inner);
}

/** Makes the error for an op that cannot run. */
export function unsupported(op: OpName, node: Node, backend: string, why: string): Pt2Error {
  return registryError("registry.unsupported-op", {
    what: `${op} cannot run on ${backend}: ${why}`,
    where: describe(node),
    advice: "Give load() a handler or an op set that defines it, or choose a backend that runs it.",
    details: { op, why },
  });
}
