import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { type ElementwiseGroup, operandsOf, type Step } from "../fuse.ts";
import type { Constant } from "./constant.ts";
import type { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { TensorView } from "./tensor-view.ts";

/** A tensor's place in a plan. */
export type Placed<T extends DeviceTypes> = readonly [LoweredTensor, TensorView<T["handle"]>];

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
  /** The buffers that it allocated, and the tensors that begin one of them. */
  readonly made: readonly PlanBuffer<T["handle"]>[];
  readonly own: readonly Placed<T>[];
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
  /** Where tensors lie for the steps. */
  readonly views: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>;
  /** The steps that compute constants, and then those of each run. */
  readonly steps: readonly StepRecord<T>[];
  readonly constantSteps: number;
  readonly questions: readonly EpilogueQuestion[];
  /** The step that reads each buffer last; positions are right for these. */
  readonly lasts: ReadonlyMap<PlanBuffer<T["handle"]>, number>;
  /** The position in `steps` of each call, and of the steps that read a tensor. */
  readonly positions: ReadonlyMap<Call, number>;
  readonly readers: ReadonlyMap<LoweredTensor, readonly number[]>;
}

/** Returns where calls and reads are in a list of steps. */
export function indexSteps<T extends DeviceTypes>(
  steps: readonly StepRecord<T>[],
): Pick<PlanRecords<T>, "positions" | "readers"> {
  const positions = new Map<Call, number>();
  const readers = new Map<LoweredTensor, number[]>();
  for (const [at, { calls }] of steps.entries()) {
    const own = new Set(calls.flatMap(({ results }) => results.flatMap(tensorsIn)));
    for (const call of calls) positions.set(call, at);
    for (const tensor of new Set(calls.flatMap(operandsOf))) {
      if (own.has(tensor)) continue;
      const others = readers.get(tensor);
      if (others === undefined) readers.set(tensor, [at]);
      else others.push(at);
    }
  }
  return { positions, readers };
}
