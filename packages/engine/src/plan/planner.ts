import { backendError } from "@pt2/backend";
import type { Call, LoweredTensor, Strided } from "@pt2/registry";
import { tensorsIn } from "@pt2/registry";
import { keyOf } from "@pt2/registry/scalar";
import { callsOf, type ElementwiseGroup, operandsOf, type Step } from "../fuse.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import { callKey } from "../staged/call-key.ts";
import { withErrorLocation } from "../staged/error-location.ts";
import { checkInside } from "../strides/inside.ts";
import type { Constant, DeviceBuffer } from "./constant.ts";
import type { ConstantWork } from "./constant-work.ts";
import { bytesOf, deriveConstant } from "./derive.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { JoinedParts } from "./joined-parts.ts";
import type { Epilogue, PlanDevice, PlanTarget, TensorTable } from "./plan-device.ts";
import type { PlannedStage, PlannedStep } from "./planned-stage.ts";
import { prepareCall } from "./prepare-call.ts";
import { type TensorLayout, type TensorView, viewOf } from "./tensor-view.ts";

/**
 * Plans the steps of a stage, one after the other: where tensors lie, what runs, and how long memory is in use.
 */
export class Planner<T extends DeviceTypes> implements PlanTarget<T>, TensorTable<T> {
  calls: readonly Call[] = [];
  readonly notes: T["notes"];
  protected readonly device: PlanDevice<T>;
  protected readonly views: Map<LoweredTensor, TensorView<T["handle"]>>;
  /** The buffers that are allocated here. */
  protected readonly buffers: PlanBuffer<T["handle"]>[] = [];
  /** The constants that are read, with the calls that were the first to need each. */
  protected readonly constants: Map<Constant<T["handle"]>, readonly Call[]> = new Map<
    Constant<T["handle"]>,
    readonly Call[]
  >();
  /** Places tensors that are joined to others, where there are such. */
  protected joined: JoinedParts<T["handle"]> | undefined;
  /** How often the current step reads each constant itself. */
  readonly #reads = new Map<Constant<T["handle"]>, number>();
  protected readonly steps: PlannedStep<T>[] = [];
  #work: T["step"][] = [];
  /** The number of the current step. */
  protected now = 0;

  constructor(views: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>, device: PlanDevice<T>) {
    this.device = device;
    this.views = new Map(views);
    this.notes = device.begin();
  }

  /** Gives everything its memory. */
  protected planned(after: T["plan"] | null): PlannedStage<T> {
    const layout = this.device.layOut(this.buffers, after);
    return { steps: this.steps, views: this.views, layout, constants: this.constants, notes: this.notes };
  }

  get(tensor: LoweredTensor): TensorView<T["handle"]> {
    return this.views.get(tensor)!;
  }

  /** Whether a tensor has its place. */
  protected isPlaced(tensor: LoweredTensor): boolean {
    return this.views.has(tensor);
  }

  partFor(
    tensor: LoweredTensor,
    strides: readonly number[],
    takes: (strides: readonly number[]) => boolean,
  ): TensorView<T["handle"]> | undefined {
    const view = this.joined?.partFor(tensor, strides, takes);
    if (view !== undefined) this.reads(view.buffer);
    return view;
  }

  /** Sets where a tensor lies. */
  set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    this.views.set(tensor, view);
  }

  add(step: T["step"]): void {
    this.#work.push(step);
    for (const buffer of this.device.buffersOf?.(step) ?? []) this.uses(buffer);
  }

  allocate(bytes: number): DeviceBuffer<T["handle"]> {
    this.device.checkBuffer?.(bytes);
    const buffer = new PlanBuffer(this.device.memory, bytes, { step: this.now, calls: this.calls });
    this.buffers.push(buffer);
    return buffer;
  }

  reads(buffer: DeviceBuffer<T["handle"]>): void {
    if (this.device.buffersOf === undefined) this.uses(buffer);
  }

  unreads(constant: Constant<T["handle"]>): void {
    const reads = this.#reads.get(constant);
    if (reads !== undefined) this.#reads.set(constant, reads - 1);
  }

  /** Keeps a buffer until the current step is done, and a constant for every run. */
  protected uses(buffer: DeviceBuffer<T["handle"]>): void {
    if (buffer instanceof PlanBuffer) buffer.last = Math.max(buffer.last, this.now);
    const { constant } = buffer;
    if (constant !== null) this.#reads.set(constant, (this.#reads.get(constant) ?? 0) + 1);
  }

  /** Keeps the constants that the current step does read, and returns them. */
  protected keepConstants(): readonly Constant<T["handle"]>[] {
    if (this.#reads.size === 0) return [];
    const kept = [...this.#reads].filter(([, count]) => count > 0).map(([constant]) => constant);
    this.#reads.clear();
    this.readInRuns(kept);
    return kept;
  }

  protected readInRuns(constants: readonly Constant<T["handle"]>[]): void {
    for (const constant of constants) if (!this.constants.has(constant)) this.constants.set(constant, this.calls);
  }

  /** Plans a step of each run, and returns the constants that it reads. */
  protected async planStep(
    calls: readonly Call[],
    plan: () => Awaitable<void>,
  ): Promise<readonly Constant<T["handle"]>[]> {
    this.calls = calls;
    this.now++;
    this.#work = [];
    await withErrorLocation(calls, plan);
    if (this.#work.length > 0) this.steps.push({ calls, work: this.#work });
    return this.keepConstants();
  }

  /** Plans steps that are not those of each run, and returns them. */
  protected async apart(plan: () => Awaitable<void>): Promise<readonly T["step"][]> {
    this.#work = [];
    await plan();
    return this.#work;
  }

  /** Plans a call that writes a part of its first argument, which lies at `place`, and so does the result. */
  protected callInPlace(call: Call, place: TensorView<T["handle"]>): Awaitable<void> {
    const [buffer, result] = [call.args[call.record.schema.args[0]!.name], call.results[0]];
    const table: TensorTable<T> = {
      get: (tensor) => (tensor === buffer || tensor === result ? place : this.get(tensor)),
      set: () => {
        throw backendError("backend.internal", { what: `${call.record.name} lays out what it was to write a part of` });
      },
    };
    const planned = { steps: this.#work, isNew: () => true };
    return prepareCall(this.device, this, { call, table, epilogue: null }, planned);
  }

  /** Drops what was read to make constants: no run reads it. */
  protected forgetReads(): void {
    this.#reads.clear();
  }

  /** Plans a step. */
  protected step(step: Step<T["expr"]>): Awaitable<void> {
    switch (step.kind) {
      case "call":
        if (step.call.kind === "view") return this.#setViews(step.call, this.#read(viewedBy(step.call)));
        return this.#call(step.call, null);
      case "elementwise": {
        const { output, inputs, expr } = step.group;
        const operands = inputs.map((tensor) => this.#read(tensor));
        const strides = this.device.strides?.(output.shape, operands);
        return this.device.context(this).elementwise(this.#place(output, strides), operands, expr);
      }
      case "epilogue":
        return this.#epilogue(step.call, step.result, step.group);
    }
  }

  async #call(call: Call, epilogue: Epilogue<T> | null): Promise<void> {
    const made = this.buffers.length;
    await prepareCall(
      this.device,
      this,
      { call, table: this, epilogue },
      {
        steps: this.#work,
        isNew: (buffer) => this.buffers.indexOf(buffer as PlanBuffer<T["handle"]>, made) >= 0,
      },
    );
    // Empty results need no step, but they need memory to refer to.
    for (const tensor of call.results.flatMap(tensorsIn)) {
      const written = epilogue !== null && tensor === call.results[0] ? epilogue.output : tensor;
      if (!this.isPlaced(written)) this.make(written);
    }
  }

  /** An epilogue that the kernel does not compute itself runs in place, so that no second buffer is touched. */
  async #epilogue(call: Call, result: LoweredTensor, group: ElementwiseGroup): Promise<void> {
    const { output, inputs, expr } = group;
    if (this.device.fusesEpilogue?.(result, group) ?? true) {
      const operands = inputs.map((tensor) => (tensor === result ? null : this.#read(tensor)));
      await this.#call(call, { output, expr, inputs: operands });
      return;
    }
    if (result.dtype === output.dtype) this.joined?.becomes(result, output);
    await this.#call(call, null);
    const produced = this.get(result);
    if (produced.dtype !== output.dtype) {
      await this.step({ kind: "elementwise", group });
      return;
    }
    this.set(output, produced);
    const operands = inputs.map((tensor) => this.#read(tensor));
    this.device.context(this).elementwise(produced, operands, expr);
  }

  /** Copies an output to where it can be read. */
  protected copyOut(output: LoweredTensor): void {
    const view = this.#read(output);
    this.device.context(this).copy(view, this.make(output));
  }

  /** Makes results views of the source where strides can express them; otherwise the source is copied first. */
  #setViews(call: Call, viewed: TensorView<T["handle"]>): void {
    const results = call.results.flatMap(tensorsIn);
    // The rule may be a user's, so it gets a geometry and not the buffer.
    const geometryOf = ({ shape, strides, offset }: Strided) =>
      call.record.view!({ shape, strides, offset }, call.args);
    let source = viewed;
    let geometry = geometryOf(source);
    if (geometry === null) {
      source = this.device.context(this).dense(source);
      geometry = geometryOf(source)!;
    }
    const list: readonly Strided[] = "strides" in geometry ? [geometry] : geometry;
    const { dtype, buffer } = source;
    const room = Math.floor(buffer.bytes / this.device.itemsize(dtype));
    for (const [i, { shape, strides, offset }] of list.entries()) {
      const view = { dtype, buffer, shape, strides, offset };
      checkInside(view, room);
      this.set(results[i]!, view);
    }
  }

  /** Plans a step that makes a constant. */
  protected async constantStep(step: Step): Promise<void> {
    await withErrorLocation(callsOf(step), () => {
      if (step.kind === "elementwise") return this.#constantLoop(step.group);
      if (step.call.kind === "view") return this.#setViews(step.call, this.get(viewedBy(step.call)));
      return this.#constantCall(step.call);
    });
  }

  #constantLoop({ inputs, output, expr, calls }: ElementwiseGroup): void {
    const from = inputs.map((tensor) => this.get(tensor));
    const label = calls.map(({ record }) => record.name).join(" + ");
    const plan = (target: PlanTarget<T>, out: TensorView<T["handle"]>): void =>
      this.device.context(target).elementwise(out, from, expr);
    this.set(output, deriveConstant(this.device, { key: keyOf(expr), label, from, to: layoutOf(output), plan }));
  }

  async #constantCall(call: Call): Promise<void> {
    const operands = operandsOf(call);
    const from = operands.map((tensor) => this.get(tensor));
    const [result] = call.results.flatMap(tensorsIn) as [LoweredTensor];
    const plan = async (target: ConstantWork<T>, out: TensorView<T["handle"]>): Promise<void> => {
      const views = new Map(operands.map((tensor, i) => [tensor, from[i]!]));
      views.set(result, out);
      await prepareCall(
        this.device,
        target,
        { call, table: views, epilogue: null },
        {
          steps: target.steps,
          isNew: (buffer) => buffer === out.buffer,
        },
      );
      // A kernel that made its result a view of another tensor has not written it.
      const made = views.get(result)!;
      if (made !== out) this.device.context(target).copy(made, out);
    };
    const what = { key: callKey(call), label: call.record.name, from, to: layoutOf(result), plan };
    this.set(result, await deriveConstant(this.device, what));
  }

  #read(tensor: LoweredTensor): TensorView<T["handle"]> {
    const view = this.get(tensor);
    this.reads(view.buffer);
    return view;
  }

  /** Allocates a tensor. */
  protected make(tensor: LoweredTensor, strides?: readonly number[]): TensorView<T["handle"]> {
    const { dtype, shape } = tensor;
    const buffer = this.allocate(bytesOf(this.device, dtype, shape));
    const view = viewOf(buffer, strides === undefined ? { dtype, shape } : { dtype, shape, strides });
    this.set(tensor, view);
    return view;
  }

  /** Gives the result of a loop its place. */
  #place(tensor: LoweredTensor, strides: readonly number[] | undefined): TensorView<T["handle"]> {
    const part = strides && this.joined?.inOrder(tensor, strides);
    if (part === undefined) return this.make(tensor, strides);
    this.reads(part.buffer);
    this.set(tensor, part);
    return part;
  }

  /** Returns the limits of loops. */
  protected limits(): { readonly maxInputs?: number } {
    const { maxInputs } = this.device;
    return maxInputs === undefined ? {} : { maxInputs };
  }
}

function layoutOf({ dtype, shape }: LoweredTensor): TensorLayout {
  return { dtype, shape };
}

/** Returns the tensor that a view call views. */
function viewedBy({ args, record }: Call): LoweredTensor {
  return args[record.schema.args[0]!.name] as LoweredTensor;
}
