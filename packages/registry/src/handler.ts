import type { OpName } from "@pt2/graph";
import type { Builder } from "./builder.ts";
import type { ArgsOf } from "./schema/infer-types.ts";
import type { ArgValue, HandlerTensor } from "./tensor-meta.ts";

/** The node that a handler compiles, with its arguments in schema order and defaults filled in. */
export interface HandlerNode {
  readonly op: OpName;
  /** The name of the node, unique in its graph. */
  readonly name: string;
  /** The arguments that are known at load. Tensors appear as their metas; see `initial` for the values of weights. */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** The origin of the node: module path and Python line. */
  readonly where: string;
}

/** What a handler can use at load. */
export interface HandlerContext {
  /** The name of the backend, such as `wasm`. */
  readonly backend: string;
  /** Returns the value of a tensor argument that is known at load (a parameter, buffer or constant), else undefined. */
  initial(arg: string): HandlerTensor | undefined;
}

/** What a handler's function receives in each run. */
export interface HandlerFrame {
  /** The arguments of this call by their names in the schema; tensors have their data. */
  readonly args: Readonly<Record<string, ArgValue | HandlerTensor | readonly HandlerTensor[]>>;
  /**
   * Runs any op that the backend can run, on that backend. Handlers with wildcards do not handle this call: a handler of
   * `*` may call the op that it handles.
   */
  call(op: OpName, args: Readonly<Record<string, unknown>>): Promise<readonly HandlerTensor[]>;
}

/** A function that runs a call; it returns one entry per tensor return. */
export type HandlerFunction = (frame: HandlerFrame) => HandlerResult | Promise<HandlerResult>;

/** One tensor, or one per return of the op. */
export type HandlerResult = HandlerTensor | readonly HandlerTensor[];

/**
 * Adds or replaces ops by functions of a user. A handler takes precedence over kernels of op packages, kernels of the
 * backend and decompositions, on every execution path.
 *
 * Provide `rewrite` to express the op in other ops (fastest: the result is fused and planned like the rest of the
 * graph), or `compile` to provide a function that computes it.
 */
export interface OpHandler {
  /**
   * The ops that it handles, as `ns::op.overload`, `ns.op.overload` or `torch.ops.ns.op.overload`; `ns::op.*` for every
   * overload. `*` also stands for any letters of a name: `aten::*`, `my::conv*`, `*` for all ops on tensors.
   */
  readonly ops: readonly string[];
  /** Allows it to handle an op that another handler already handles. */
  readonly replace?: boolean;
  /**
   * Expresses the op in other ops; returns undefined if that is not possible. The arguments are those of the op's own
   * schema. Wildcards match none of the ops that the rewrite of a wildcard calls.
   */
  rewrite?(args: ArgsOf<string>, b: Builder, op: OpName): ArgValue | undefined;
  /** Is called once per matched node at load; the returned function runs in every run. */
  compile?(node: HandlerNode, ctx: HandlerContext): HandlerFunction;
}
