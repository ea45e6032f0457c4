import type {
  Awaitable,
  ElementExpr,
  KernelCall as EngineCall,
  PlanContext as EngineContext,
  KernelArgs,
  KernelOp,
  OpKernel,
  PlannedStage,
} from "@pt2/engine";
import type { Call } from "@pt2/registry";
import type { Kernels } from "../kernels.gen.ts";
import type { Team } from "../threads/team.ts";
import type { Clamp } from "./clamp.ts";
import type { HeapArrays } from "./heap.ts";

/** Runs one or several ops on this backend. Each family of ops has a file in `kernels/`. */
export interface WasmKernel<Args = Call["args"]> extends OpKernel<Args> {
  /**
   * Plans the call: allocates its results and adds what runs on each forward. It may load code first; nothing else is
   * planned meanwhile.
   */
  prepare(call: KernelCall, args: Args): Awaitable<void>;
  /** Whether it reads tensors whose elements lie between others, as those of channels that are joined later, where they lie. */
  readonly readsParts?: boolean;
  /** Whether it writes a part of its first argument, which it copies unless result 0 lies there already. */
  readonly updates?: boolean;
  /** Whether it clamps its (float32) results to `call.clamp` while they are in registers. */
  readonly clamps?: (args: Args) => boolean;
}

/** A kernel as it is written: the schemas of its ops give the types of its arguments. */
export interface TypedWasmKernel<Op extends KernelOp> extends Omit<WasmKernel<KernelArgs<Op>>, "ops"> {
  readonly ops: readonly Op[];
}

/**
 * Makes a kernel whose arguments are typed by the schemas of its ops: names of PyTorch's, or records of `defineOp`. A
 * misspelled op or argument does not compile.
 */
// @__NO_SIDE_EFFECTS__
export function wasmKernel<const Op extends KernelOp>(kernel: TypedWasmKernel<Op>): WasmKernel {
  // This file imports no values: a page's first download would get them, though it uses no kernel.
  const ops = kernel.ops.map((op): string => (typeof op === "string" ? op : op.name));
  return { ...kernel, ops } as unknown as WasmKernel;
}

/** The types that plans of this backend are made of: steps are functions, which look up addresses when they run. */
export interface WasmTypes {
  readonly handle: number;
  readonly step: () => void;
  readonly expr: ElementExpr;
  readonly context: PlanContext;
  readonly call: KernelCall;
  readonly notes: null;
  /** The end of the arena that a stage and those before it use. */
  readonly layout: { end: number };
  readonly plan: { readonly arenaEnd: number };
}

/** A stage with every decision made. */
export type WasmStage = PlannedStage<WasmTypes>;

/**
 * What helpers of kernels plan with. Addresses (`addressOf(view)`, `buffer.handle`) are valid only inside functions
 * given to `step`.
 */
export interface PlanContext extends EngineContext<WasmTypes> {
  /** The memory that tensors lie in. */
  readonly heap: HeapArrays;
  /** @internal The loops of this package. */
  readonly kernels: Kernels;
  /** @internal The threads that compute. */
  readonly team: Team;
}

/** What a kernel plans one call with. */
export interface KernelCall extends PlanContext, EngineCall<WasmTypes> {
  /** Bounds for the results of a kernel with `clamps`; infinite when there is nothing to clamp. */
  readonly clamp: Clamp;
}
