import type { Graph, Node } from "@pt2/graph";
import type { HandlerFunction } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import type { HandlerAnswer } from "../own-ops/handler-results.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { TypedCall } from "./elementwise.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";
import type { RunNumbers } from "./run-number.ts";

/** One step of a lowered program: concrete shapes, arguments resolved by schema, no symbols left. */
export interface Call {
  readonly record: OpRecord;
  /**
   * `scalar` and `view` ops every backend runs from the record alone; `native` ops the backend said it has.
   */
  readonly kind: "scalar" | "view" | "native";
  /** Arguments by schema name. A tensor is a {@link LoweredTensor}, or a wrapped number (`TensorMeta.wrapped`). */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** One entry per return: a {@link LoweredTensor}, an array of them, a number, or null. */
  readonly results: readonly ArgValue[];
  /** For `scalar`: the typed expression and its operands. */
  readonly scalar?: TypedCall;
  /** Whether an op set brings the kernel that runs it. */
  readonly packaged?: true | undefined;
  /** The node of the program that it comes from. */
  readonly node: Node;
}

/** Where a program cannot be lowered further without running what comes before. */
export type Boundary =
  /** An op whose result sizes (or number) depend on data. */
  | { readonly kind: "dynamic"; readonly record: OpRecord; readonly args: Call["args"]; readonly node: Node }
  /** A function that a handler brought. */
  | HandlerBoundary
  /** `cond`, `while_loop`, `scan`, `map_impl`: operands by position, graphs among them as {@link Graph}s. */
  | { readonly kind: "control"; readonly operands: readonly (ArgValue | Graph)[]; readonly node: Node };

/** A node that a handler's function runs. */
export interface HandlerBoundary {
  readonly kind: "handler";
  readonly run: HandlerFunction;
  readonly args: Call["args"];
  readonly node: Node;
  /**
   * What the function says of the node, one entry per output, from what it returned and from the arguments that it was
   * given. Throws where that is not what the program says.
   */
  answers(returned: unknown, args: Readonly<Record<string, unknown>>): readonly HandlerAnswer[];
}

/** A stretch of calls with fixed shapes, and how it ends. */
export interface Stage {
  readonly calls: readonly Call[];
  readonly end: Boundary | { readonly kind: "return"; readonly outputs: readonly ArgValue[] };
  /** Tensors that the boundary or something behind it reads: they must survive the calls. */
  readonly live: ReadonlySet<LoweredTensor>;
  /** What it knows of numbers that change from run to run: it is right for a run as long as they hold. */
  readonly numbers: RunNumbers;
  /** Continues behind the boundary, given what it returned (one entry per return of its node). */
  resume(results: readonly ArgValue[]): Promise<Stage>;
}
