import type { OpName } from "@pt2/graph";
import type { Builder } from "./builder.ts";
import type { ArgsOf } from "./schema/infer-types.ts";
import type { ArgValue, TensorMeta } from "./tensor-meta.ts";

/** A tensor that a handler's function receives and returns; on every backend it can be read as bytes. */
export interface HandlerTensor extends TensorMeta {
  /** Row-major elements in the dtype's typed array (`Uint16Array` of bits for float16 and bfloat16). */
  readonly data: ArrayBufferView;
}

/** The node that a handler compiles, its arguments in schema order with defaults filled in. */
export interface HandlerNode {
  readonly op: OpName;
  /** Unique name of the node in its graph. */
  readonly name: string;
  /** Arguments that are known at load; tensors appear as their metas, unless they are weights (see `initial`). */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** Where the node comes from: module path and Python line. */
  readonly where: string;
}

/** What a handler may use at load. */
export interface HandlerContext {
  /** Name of the backend, such as `wasm`. */
  readonly backend: string;
  /** Value of a tensor argument that is known at load (a parameter, buffer or constant), else undefined. */
  initial(arg: string): HandlerTensor | undefined;
}

/** What a handler's function sees in one forward. */
export interface HandlerFrame {
  /** Arguments of this call by schema name, tensors with their data. */
  readonly args: Readonly<Record<string, ArgValue | HandlerTensor | readonly HandlerTensor[]>>;
  /** Runs any op that the backend can run, on that backend. */
  call(op: OpName, args: Readonly<Record<string, unknown>>): Promise<readonly HandlerTensor[]>;
}

/** Results of one call, one entry per tensor return. */
export type HandlerFunction = (frame: HandlerFrame) => HandlerResult | Promise<HandlerResult>;

/** One tensor, or one per return of the op. */
export type HandlerResult = HandlerTensor | readonly HandlerTensor[];

/**
 * How a user adds, or overrides, ops. It is honoured on every execution path, before kernels of op packages, kernels
 * of the backend and decompositions.
 *
 * Give `rewrite` to express the op in others (fastest: the result is fused and planned like the rest of the graph),
 * or `compile` to bring a function of your own.
 */
export interface OpHandler {
  /** Ops it takes, as `ns::op.overload`, `ns.op.overload` or `torch.ops.ns.op.overload`; `ns::op.*` for every overload. */
  readonly ops: readonly string[];
  /** Allows it to take an op that another handler already takes. */
  readonly replace?: boolean;
  /** The op in other ops; undefined where it does not apply. The op's own schema says what the arguments are. */
  rewrite?(args: ArgsOf<string>, b: Builder): ArgValue | undefined;
  /** Runs once per matched node at load; the returned function runs on every forward. */
  compile?(node: HandlerNode, ctx: HandlerContext): HandlerFunction;
}
