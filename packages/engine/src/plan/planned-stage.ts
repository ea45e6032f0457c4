import type { Call, LoweredTensor } from "@pt2/registry";
import type { StageRequest } from "../staged/stage-engine.ts";
import type { BufferUpdate } from "./buffer-update.ts";
import type { Constant } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanRecords } from "./plan-records.ts";
import type { TensorView } from "./tensor-view.ts";

/** The steps of one fused step of a plan. */
export interface PlannedStep<T extends DeviceTypes> {
  /** The calls that it computes. */
  readonly calls: readonly Call[];
  readonly work: readonly T["step"][];
}

/** A stage with every decision made: which steps run in which order, and which memory they share. */
export interface PlannedStage<T extends DeviceTypes> {
  readonly steps: readonly PlannedStep<T>[];
  readonly views: { get(tensor: LoweredTensor): TensorView<T["handle"]> | undefined };
  readonly layout: T["layout"];
  /** The constants that it reads, with the calls that were the first to need each. */
  readonly constants: ReadonlyMap<Constant<T["handle"]>, readonly Call[]>;
  readonly notes: T["notes"];
  /** The results that replace buffers of which they change a part. */
  readonly updates?: readonly BufferUpdate<T>[];
  /** What plans for other sizes are made from; a plan that was made so has none. */
  readonly records?: PlanRecords<T> | undefined;
}

/** What a stage is planned from. */
export type PlanRequest<T extends DeviceTypes> = StageRequest<TensorView<T["handle"]>, T["plan"]>;
