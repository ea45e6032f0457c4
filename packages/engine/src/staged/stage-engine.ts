import type { Cancellation } from "@pt2/backend";
import type { Call, LoweredTensor, LowerOptions, Repetition, RuntimeScalar, Stage } from "@pt2/registry";
import type { Awaitable } from "./awaitable.ts";
import type { DeviceData, TensorData, TensorType } from "./run-value.ts";

/** Observes a run: it is called after each step with its duration. */
export type StepObserver = (calls: readonly Call[], startMs: number, ms: number) => void;

/** What may observe or stop a run. */
export interface RunHooks {
  readonly observe?: StepObserver | undefined;
  readonly signal?: Cancellation | undefined;
  /** The number of handlers that wait for this run. */
  readonly depth?: number;
}

/** A stage with every decision made. `View` is a backend's view of a tensor in its memory. */
export interface StagePlan<View> {
  /** Returns where an input goes before the steps, and where a result is after them. */
  view(tensor: LoweredTensor): View;
  /** The steps, in order: the calls that each computes, and for `explain` what runs it. */
  readonly steps: readonly { readonly calls: readonly Call[]; readonly by?: string }[];
  /** The memory and steps that it takes, in a few words for `explain`. */
  readonly summary: string;
  /** What plans for other sizes are made from; a plan that was made so has none. */
  readonly records?: object | undefined;
}

/** What a stage is planned from. */
export interface StageRequest<View, Plan> {
  readonly stage: Pick<Stage, "calls" | "live" | "end" | "again">;
  /** Views of tensors that exist already: weights, buffers, live tensors of earlier stages. */
  readonly views: ReadonlyMap<LoweredTensor, View>;
  /** Tensors and numbers that are written before the first step of each run. */
  readonly inputs: readonly LoweredTensor[];
  /**
   * The plan whose memory is still in use while this one runs, which leads to those that it follows itself; null at
   * first.
   */
  readonly after: Plan | null;
  /** The results that replace buffers as soon as the run is done, each with the tensor of its buffer. */
  readonly writes?: ReadonlyMap<LoweredTensor, LoweredTensor>;
}

/** What a stage is planned from for other sizes than those of a plan that it has. */
export interface RepeatRequest<View> {
  readonly repetition: Repetition;
  /** Views of tensors that exist already. */
  readonly views: ReadonlyMap<LoweredTensor, View>;
  /** What the inputs of the plan are now, in its order. */
  readonly inputs: readonly LoweredTensor[];
  /** The tensors that the stage returns. */
  readonly outputs: readonly LoweredTensor[];
}

/**
 * Plans and runs single stages for a backend. {@link GraphRunner} makes programs of them: it lowers, caches plans, and
 * runs what stands between stages. Promises are awaited; calls never overlap.
 */
export interface StageEngine<View extends TensorType, Plan extends StagePlan<View>> {
  readonly lowerOptions: LowerOptions;
  /** Plans a stage, and brings what it reads into memory. */
  plan(request: StageRequest<View, Plan>): Promise<Plan>;
  /**
   * Plans a stage for other sizes from a plan with `records`. Resolves to null where that takes other steps or other
   * memory, so that it has to be planned from the beginning. It is absent where plans have no records.
   */
  repeat?(before: Plan, request: RepeatRequest<View>): Promise<Plan | null>;
  /**
   * Writes the values of a run where the plan's steps read them: one value for each tensor, with as many bytes as the
   * tensor's type says; runtime scalars hold their own.
   */
  write(
    plan: Plan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RuntimeScalar[],
  ): Awaitable<void>;
  /** Runs the steps. Between them it looks at `signal`, if the device can stop there. */
  execute(plan: Plan, hooks: RunHooks): Awaitable<void>;
  /**
   * Returns copies of what the steps have computed, which outlive the run. They may stay on the device unless `to` is
   * `host`.
   */
  read(plan: Plan, tensors: readonly LoweredTensor[], to: "host" | "anywhere"): Awaitable<readonly TensorData[]>;
  /** Returns where results are, until the next run; absent where {@link read} copies on the device anyway. */
  locate?(plan: Plan, tensors: readonly LoweredTensor[]): readonly DeviceData[];
  /** Brings what {@link read} left on the device to the host. It is absent when `read` leaves nothing there. */
  fetch?(tensors: readonly TensorData[]): Promise<readonly TensorData[]>;
  /**
   * Frees these tensors on the device, which no later step of the run needs. It is absent when the engine holds
   * nothing.
   */
  drop?(tensors: readonly DeviceData[]): void;
  /**
   * Whether what a view shows never changes, so that graphs which a stage calls may read it where it is. It is absent
   * where they get copies of everything.
   */
  isConstant?(view: View): boolean;
  /** Releases a plan. */
  release(plan: Plan): void;
}
