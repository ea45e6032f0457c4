import type { Cancellation } from "@pt2/backend";
import type { Call, LoweredTensor, LowerOptions, RunNumber, Stage } from "@pt2/registry";
import type { Awaitable } from "./awaitable.ts";
import type { DeviceData, TensorData, TensorType } from "./run-value.ts";

/** Observes a run: called after each step with its duration. */
export type StepObserver = (calls: readonly Call[], startMs: number, ms: number) => void;

/** What may watch or stop a run. */
export interface RunHooks {
  readonly observe?: StepObserver | undefined;
  readonly signal?: Cancellation | undefined;
  /** How many functions of handlers wait for this run. */
  readonly depth?: number;
}

/** A stage with everything decided. `Place` is where a backend keeps a tensor. */
export interface StagePlan<Place> {
  /** Where inputs go before the steps, and results are after them. */
  place(tensor: LoweredTensor): Place;
  /** What runs, in order: the calls that each step computes, and for `explain` what does it. */
  readonly steps: readonly { readonly calls: readonly Call[]; readonly by?: string }[];
  /** What it takes, in a few words for `explain`. */
  readonly summary: string;
}

/** What a stage is planned from. */
export interface StageRequest<Place, Plan> {
  readonly stage: Pick<Stage, "calls" | "live" | "end">;
  /** Places of tensors that exist already: weights, buffers, live tensors of earlier stages. */
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  /** Tensors and numbers that are written before the first step of each run. */
  readonly inputs: readonly LoweredTensor[];
  /** The plan whose memory is still in use while this one runs, with all that it comes after itself; null at first. */
  readonly after: Plan | null;
}

/**
 * How a backend plans and runs single stages. {@link GraphRunner} makes programs of them: it lowers, keeps plans by
 * what they hold for, and runs what stands between stages. Promises are waited for; calls never overlap.
 */
export interface StageEngine<Place extends TensorType, Plan extends StagePlan<Place>> {
  readonly lowerOptions: LowerOptions;
  /** Whether rewrites that change bits are forbidden: `precision: "exact"`. */
  readonly exact: boolean;
  /** Whether what is at a place never changes: a weight, or what is computed from weights alone. */
  isConstant(place: Place): boolean;
  /** Plans a stage, and brings what it reads into memory. */
  plan(request: StageRequest<Place, Plan>): Promise<Plan>;
  /**
   * Puts the values of a run where the plan's steps read them: one for each tensor, its bytes as many as the tensor's
   * type says; numbers have theirs.
   */
  write(
    plan: Plan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RunNumber[],
  ): Awaitable<void>;
  /** Runs the steps. Looks at `signal` between them, if it can stop there. */
  execute(plan: Plan, hooks: RunHooks): Awaitable<void>;
  /**
   * Copies of what the steps have computed, which outlive the run. They may stay on the device unless `to` is `host`.
   */
  read(plan: Plan, tensors: readonly LoweredTensor[], to: "host" | "anywhere"): Awaitable<readonly TensorData[]>;
  /** Brings what {@link read} left on the device to the host. Absent when it leaves nothing there. */
  fetch?(tensors: readonly TensorData[]): Promise<readonly TensorData[]>;
  /** Frees these tensors on the device, which no later step of the run needs. Absent when the engine holds nothing. */
  drop?(tensors: readonly DeviceData[]): void;
  /** Gives a plan up. */
  release(plan: Plan): void;
}
