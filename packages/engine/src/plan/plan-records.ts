import type { Call, LoweredTensor } from "@pt2/registry";
import type { ElementwiseGroup, Step } from "../fuse.ts";
import type { Constant } from "./constant.ts";
import type { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { TensorView } from "./tensor-view.ts";

/** A tensor's place in a plan. */
export type Placed<T extends DeviceTypes> = readonly [LoweredTensor, TensorView<T["handle"]>];

/** A step of a stage, and all that planning it did. */
export interface StepRecord<T extends DeviceTypes> {
  readonly step: Step<T["expr"]>;
  readonly calls: readonly Call[];
  /** The tensors that it reads and does not make. */
  readonly reads: readonly Placed<T>[];
  readonly work: readonly T["step"][];
  /** The buffers that it allocated, those that it uses, and the constants that it reads in each run. */
  readonly made: readonly PlanBuffer<T["handle"]>[];
  readonly uses: readonly PlanBuffer<T["handle"]>[];
  readonly constants: readonly Constant<T["handle"]>[];
  readonly places: readonly Placed<T>[];
}

/** A question that fusion asked, with the answer that its result depends on. */
export interface EpilogueQuestion {
  readonly call: Call;
  readonly group: ElementwiseGroup;
  readonly answer: boolean;
}

/** What a stage was planned from and what came of it: enough to plan it again for other sizes. */
export interface PlanRecords<T extends DeviceTypes> {
  readonly calls: readonly Call[];
  readonly live: ReadonlySet<LoweredTensor>;
  readonly inputs: readonly LoweredTensor[];
  readonly inputViews: readonly TensorView<T["handle"]>[];
  /** The steps that compute constants, and those of each run. */
  readonly constantSteps: readonly StepRecord<T>[];
  readonly steps: readonly StepRecord<T>[];
  readonly questions: readonly EpilogueQuestion[];
  /** The step that reads each buffer last; positions are right for these. */
  readonly lasts: ReadonlyMap<PlanBuffer<T["handle"]>, number>;
}
