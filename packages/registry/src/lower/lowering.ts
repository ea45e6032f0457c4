import type { Node } from "@pt2/graph";
import type { HandlerContext } from "../handler.ts";
import type { OpRegistry } from "../op-registry.ts";
import type { Emitter } from "./emit.ts";
import type { LowerTarget } from "./lower-target.ts";
import type { RuntimeScalars } from "./runtime-scalar.ts";

/** The options of lowering, which are the same for every stage of a graph. */
export interface LowerOptions {
  readonly registry: OpRegistry;
  readonly target: LowerTarget;
  /** Returns what a handler can use at load. */
  readonly handlerContext: (node: Node) => HandlerContext;
}

/** What nodes are lowered with. */
export interface Lowering {
  readonly emitter: Emitter;
  readonly numbers: RuntimeScalars;
  readonly options: LowerOptions;
}
