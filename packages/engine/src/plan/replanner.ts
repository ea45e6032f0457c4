import { contiguousStrides } from "@pt2/format";
import type { LoweredTensor } from "@pt2/registry";
import { callsOf, operandsOf, type Step } from "../fuse.ts";
import { sameStrides } from "../strides/layout.ts";
import type { DeviceBuffer } from "./constant.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import type { PlanRecords, StepRecord } from "./plan-records.ts";
import type { PlannedStage, PlanRequest } from "./planned-stage.ts";
import { Planner } from "./planner.ts";
import type { SameStructure } from "./same-structure.ts";
import type { TensorView } from "./tensor-view.ts";

/** The bytes of the largest constant that is kept for the constants of other sizes. */
const MAX_KEPT = 1 << 20;

/**
 * Plans a stage whose steps have the structure of a plan for other sizes. A step of that plan is taken as it is where
 * its calls are the same and read memory that is the same; its results stay where they are.
 */
export class Replanner<T extends DeviceTypes> extends Planner<T> {
  readonly #before: PlanRecords<T>;
  readonly #same: SameStructure<T>;
  /** Whether a step has to be planned again, by its position. */
  readonly #differs: Uint8Array;
  /** The buffers of the plan before that stay where they are. */
  readonly #kept: PlanBuffer<T["handle"]>[] = [];
  /** Results of the current step that may have the memory that they had before. */
  #own = new Map<LoweredTensor, TensorView<T["handle"]>>();
  /** Whether a kept buffer is needed for longer than its place is free. */
  #outlived = false;

  constructor(before: PlanRecords<T>, same: SameStructure<T>, device: PlanDevice<T>) {
    super(new Map(), device);
    this.#before = before;
    this.#same = same;
    this.#differs = Uint8Array.from(before.steps, ({ shared }) => (shared ? 0 : 1));
    for (const call of same.changed) {
      const at = before.positions.get(call);
      if (at !== undefined) this.#differs[at] = 1;
    }
  }

  /** Returns null where a place in memory is not free for as long as it is needed here. */
  async plan({ stage, inputs, after }: PlanRequest<T>): Promise<PlannedStage<T> | null> {
    const { inputs: known, views, steps, constantSteps } = this.#before;
    for (const [i, input] of inputs.entries()) {
      if (input === known[i]) this.#keep(input, views.get(input)!);
      else this.make(input);
    }
    for (const [at, record] of steps.entries()) {
      if (at === constantSteps) this.forgetReads();
      const differs = this.#differs[at] === 1;
      if (at < constantSteps) {
        if (differs) await this.#constantAgain(record);
      } else if (differs) await this.#planAgain(record);
      else this.#repeat(record);
    }
    await this.end(stage);
    if (this.#outlived) return null;
    const own = this.views;
    return { ...this.planned(after, this.#kept), views: { get: (tensor) => own.get(tensor) ?? views.get(tensor) } };
  }

  override get(tensor: LoweredTensor): TensorView<T["handle"]> {
    return this.views.get(tensor) ?? this.#before.views.get(tensor)!;
  }

  override set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    super.set(tensor, view);
    if (this.#before.views.get(tensor) === view) return;
    for (const reader of this.#before.readers.get(tensor) ?? []) this.#differs[reader] = 1;
  }

  protected override uses(buffer: DeviceBuffer<T["handle"]>): void {
    const last = buffer instanceof PlanBuffer ? this.#before.lasts.get(buffer) : undefined;
    if (last === undefined) super.uses(buffer);
    else if (this.now > last) this.#outlived = true;
  }

  protected override make(tensor: LoweredTensor, strides?: readonly number[]): TensorView<T["handle"]> {
    const own = this.#own.get(tensor);
    const { shape } = tensor;
    if (own === undefined || !sameStrides(shape, own.strides, strides ?? contiguousStrides(shape))) {
      return super.make(tensor, strides);
    }
    this.#keep(tensor, own);
    return own;
  }

  /** Keeps what the constants of every size are made of, where it is small: weights would be read again for each size. */
  async #constantAgain({ step, calls }: StepRecord<T>): Promise<void> {
    await this.constantStep(this.#same.step(step) as Step);
    for (const tensor of calls.flatMap(operandsOf)) {
      const constant = this.#before.views.get(tensor)?.buffer.constant;
      if (constant != null && constant.bytes <= MAX_KEPT) this.readInRuns([constant]);
    }
  }

  async #planAgain({ step: before, calls, own }: StepRecord<T>): Promise<void> {
    const step = this.#same.step(before);
    const isView = step.kind === "call" && step.call.kind === "view";
    // Kernels of packages are checked by what they allocate.
    if (!isView && !calls.some(({ packaged }) => packaged)) {
      this.#own = new Map(own.filter(([tensor]) => !this.#same.replaces(tensor)));
      // A kernel finds its results; a loop makes them when it knows their strides.
      if (step.kind !== "elementwise") for (const [tensor, view] of this.#own) this.#keep(tensor, view);
    }
    await this.planStep(callsOf(step), () => this.step(step));
    this.#own.clear();
  }

  #repeat({ calls, planned, constants, made }: StepRecord<T>): void {
    this.now++;
    this.calls = calls;
    if (planned !== null) this.steps.push(planned);
    this.readInRuns(constants);
    for (const buffer of made) this.#kept.push(buffer);
  }

  #keep(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    this.#kept.push(view.buffer as PlanBuffer<T["handle"]>);
    this.set(tensor, view);
  }
}
