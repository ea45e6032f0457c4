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
import type { Shader } from "../shader/shader.ts";
import type { Adapter } from "./adapter.ts";
import type { GuardWords } from "./guard-words.ts";
import type { HostStep, WebgpuStep } from "./webgpu-step.ts";

/** Runs one or several ops on this backend. Each family of ops has a file in `kernels/`. */
export interface WebgpuKernel<Args = Call["args"]> extends OpKernel<Args> {
  /**
   * Whether it takes complex numbers too, which are `vec2<f32>` in shaders: it only moves elements, or computes with
   * complex ones. Otherwise the op's decomposition is used for them. Default: no.
   */
  readonly complex?: boolean;
  /**
   * Plans the call: makes its results, and adds the shaders that compute them. It may load code
   * first; nothing else is planned meanwhile.
   */
  prepare(call: KernelCall, args: Args): Awaitable<void>;
  /**
   * Whether result 0 is written once per element, through `shader.result(0)`, so that elementwise ops that follow may
   * be computed where it is written. Default: no.
   */
  readonly fuses?: boolean | ((args: Args) => boolean);
  /**
   * Whether it writes a part of its first argument, which it copies unless result 0 lies there already, and the same again
   * from the same arguments. Default: no.
   */
  readonly updates?: boolean | ((args: Args) => boolean);
}

/** A kernel as it is written: the schemas of its ops give the types of its arguments. */
export interface TypedWebgpuKernel<Op extends KernelOp> extends Omit<WebgpuKernel<KernelArgs<Op>>, "ops"> {
  readonly ops: readonly Op[];
}

/**
 * Makes a kernel whose arguments are typed by the schemas of its ops: names of PyTorch's, or records of `defineOp`. A
 * misspelled op or argument does not compile.
 */
// @__NO_SIDE_EFFECTS__
export function webgpuKernel<const Op extends KernelOp>(kernel: TypedWebgpuKernel<Op>): WebgpuKernel {
  // This file imports no values: a page's first download would get them, though it uses no kernel.
  const ops = kernel.ops.map((op): string => (typeof op === "string" ? op : op.name));
  return { ...kernel, ops } as unknown as WebgpuKernel;
}

/** The types that plans of this backend are made of. */
export interface WebgpuTypes {
  readonly handle: GPUBuffer;
  readonly step: WebgpuStep;
  readonly expr: ElementExpr;
  readonly context: PlanContext;
  readonly call: KernelCall;
  readonly notes: GuardWords;
  /** The slots that a stage uses: the first slot, and the sizes of all. */
  readonly layout: { readonly start: number; readonly sizes: number[] };
  readonly plan: { readonly slotEnd: number };
}

/** A stage with every decision made: which shaders run in which order, and which memory they share. */
export type WebgpuStage = PlannedStage<WebgpuTypes>;

/** Shaders, memory and copies, for kernels and the helpers that they share. */
export interface PlanContext extends EngineContext<WebgpuTypes> {
  readonly adapter: Adapter;
  /** Starts a shader, which becomes a dispatch of each run. `name` says what it does: `matmul 64x64`. */
  shader(name: string): Shader;
  /** Adds work on the host in the middle of a run. The run waits for the GPU, so this is for what is rare and small. */
  host(step: HostStep): void;
}

/** What a kernel plans one call with. `shader.result` makes results by itself. */
export interface KernelCall extends PlanContext, EngineCall<WebgpuTypes> {}
