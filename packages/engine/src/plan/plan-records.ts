import type { Call, LoweredTensor } from "@pt2/registry";
import type { ElementwiseGroup, Step } from "../fuse.ts";
import type { BufferUpdate } from "./buffer-update.ts";
import type { Constant } from "./constant.ts";
import type { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { TensorView } from "./tensor-view.ts";

/** A step of a stage, and what planning it did. */
export interface StepRecord<T extends DeviceTypes> {
  readonly step: Step<T["expr"]>;
  readonly calls: readonly Call[];
  /** What runs; null where the step is only a decision about memory, or a constant. */
  readonly planned: { readonly calls: readonly Call[]; readonly work: readonly T["step"][] } | null;
  /** Whether another plan may have it. */
  readonly shared: boolean;
  /** The constants that each run reads. */
  readonly constants: readonly Constant<T["handle"]>[];
  /** The buffers that it allocated, in order, and those that it needs while it runs. */
  readonly made: readonly PlanBuffer<T["handle"]>[];
  readonly used: ReadonlySet<PlanBuffer<T["handle"]>>;
  /** Where the first argument of its call lies, and the result: a buffer of which it writes a part, or the buffer's copy. */
  readonly inPlace?: TensorView<T["handle"]> | undefined;
}

/** An update of a buffer, and the planning of what commits it. */
export interface UpdateRecord<T extends DeviceTypes> {
  readonly update: BufferUpdate<T>;
  readonly commit: StepRecord<T>;
}

/** A copy of an output that could not be read where the steps left it. */
export interface CopyRecord<T extends DeviceTypes> {
  readonly output: LoweredTensor;
  readonly made: readonly PlanBuffer<T["handle"]>[];
}

/** A question that fusion asked, with the answer that its result depends on. */
export interface EpilogueQuestion {
  readonly call: Call;
  readonly group: ElementwiseGroup;
  readonly answer: boolean;
}

/** What a stage was planned from and what came of it: enough to plan it again for other sizes. */
export interface PlanRecords<T extends DeviceTypes> {
  /** The views of tensors that existed before. */
  readonly given: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>;
  readonly inputs: readonly LoweredTensor[];
  /** Where tensors lie for the steps. */
  readonly views: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>;
  /** The steps that compute constants, and then those of each run. */
  readonly steps: readonly StepRecord<T>[];
  readonly constantSteps: number;
  readonly questions: readonly EpilogueQuestion[];
  readonly copies: readonly CopyRecord<T>[];
  readonly updates: readonly UpdateRecord<T>[];
  /** All buffers, those of inputs first, and their layout, which plans for other sizes share. */
  readonly buffers: readonly PlanBuffer<T["handle"]>[];
  readonly layout: T["layout"];
}
