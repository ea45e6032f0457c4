import type { Graph, Node } from "@pt2/graph";
import type { HandlerFunction } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { HandlerAnswer } from "../user-ops/handler-results.ts";
import type { TypedCall } from "./elementwise.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";
import type { RuntimeScalars } from "./runtime-scalar.ts";

/**
 * A call of a lowered program: its shapes are concrete, its arguments are resolved by schema, and it has no symbols.
 */
export interface Call {
  readonly record: OpRecord;
  /**
   * Every backend runs `scalar` and `view` calls from the record alone; `native` calls are those that the backend has a
   * kernel for.
   */
  readonly kind: "scalar" | "view" | "native";
  /**
   * The arguments by their names in the schema. A tensor is a {@link LoweredTensor}, or a wrapped number
   * (`TensorMeta.wrapped`).
   */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** One entry per return: a {@link LoweredTensor}, an array of them, a number, or null. */
  readonly results: readonly ArgValue[];
  /** For `scalar` calls: the typed expression and its operands. */
  readonly scalar?: TypedCall;
  /** Whether an op set provides the kernel that runs it. */
  readonly packaged?: true | undefined;
  /** The node of the program that the call comes from. */
  readonly node: Node;
}

/** A point where a program must run what comes before it can be lowered further. */
export type GraphBreak =
  /** An op whose result sizes (or number of results) depend on data. */
  | { readonly kind: "dynamic"; readonly record: OpRecord; readonly args: Call["args"]; readonly node: Node }
  /** A function of a handler. */
  | HandlerGraphBreak
  /** `cond`, `while_loop`, `scan`, `map_impl`: operands by position, which include {@link Graph}s. */
  | { readonly kind: "control"; readonly operands: readonly (ArgValue | Graph)[]; readonly node: Node };

/** A node that a handler's function runs. */
export interface HandlerGraphBreak {
  readonly kind: "handler";
  readonly run: HandlerFunction;
  readonly args: Call["args"];
  readonly node: Node;
  /**
   * Returns the results of the node, one entry per output, from what the function returned and from the arguments that
   * it was given. Throws if they do not match the program.
   */
  answers(returned: unknown, args: Readonly<Record<string, unknown>>): readonly HandlerAnswer[];
}

/** A node, and what it came to. */
export interface LoweredNode {
  readonly node: Node;
  readonly calls: readonly Call[];
  readonly results: readonly ArgValue[];
}

/** What the nodes of a graph came to for certain inputs, and the values of all names. */
export interface LoweredNodes {
  readonly nodes: readonly LoweredNode[];
  /** The positions in `nodes` of those that read a name. */
  readonly readers: ReadonlyMap<string, readonly number[]>;
  readonly env: ReadonlyMap<string, ArgValue>;
}

/** A sequence of calls with fixed shapes, and the graph break that ends it. */
export interface Stage {
  readonly calls: readonly Call[];
  readonly end: GraphBreak | { readonly kind: "return"; readonly outputs: readonly ArgValue[] };
  /** The tensors that the graph break or a later call reads: they must outlive the calls. */
  readonly live: ReadonlySet<LoweredTensor>;
  /**
   * The runtime scalars whose values the stage depends on: the stage is valid for a run as long as they are the same.
   */
  readonly numbers: RuntimeScalars;
  /** What its nodes came to, where it is a whole graph: then {@link lower} can lower the graph again from it. */
  readonly nodes?: LoweredNodes | undefined;
  /** Continues after the graph break with its results (one entry per return of its node). */
  resume(results: readonly ArgValue[]): Promise<Stage>;
}
