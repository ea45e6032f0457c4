import { contiguousStrides } from "@pt2/format";
import type { Call, LoweredTensor, Strided } from "@pt2/registry";
import { tensorsIn } from "@pt2/registry";
import { keyOf } from "@pt2/registry/scalar";
import { callsOf, type ElementwiseGroup, fuse, operandsOf, type Step } from "../fuse.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import { callKey, isPure } from "../staged/call-key.ts";
import { withErrorLocation } from "../staged/error-location.ts";
import type { StageRequest } from "../staged/stage-engine.ts";
import { checkInside } from "../strides/inside.ts";
import { sameStrides } from "../strides/layout.ts";
import type { Constant, DeviceBuffer } from "./constant.ts";
import type { ConstantWork } from "./constant-work.ts";
import { bytesOf, deriveConstant } from "./derive.ts";
import { PlanBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { Epilogue, PlanDevice, PlanTarget, TensorTable } from "./plan-device.ts";
import type { EpilogueQuestion, Placed, PlanRecords, StepRecord } from "./plan-records.ts";
import { prepareCall } from "./prepare-call.ts";
import { SameStructure } from "./same-structure.ts";
import { type TensorLayout, type TensorView, viewOf } from "./tensor-view.ts";

/** The steps of one fused step of a plan. */
export interface PlannedStep<T extends DeviceTypes> {
  /** The calls that it computes. */
  readonly calls: readonly Call[];
  readonly work: readonly T["step"][];
}

/** A stage with every decision made: which steps run in which order, and which memory they share. */
export interface PlannedStage<T extends DeviceTypes> {
  readonly steps: readonly PlannedStep<T>[];
  readonly views: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>;
  readonly layout: T["layout"];
  /** The constants that it reads, with the calls that were the first to need each. */
  readonly constants: ReadonlyMap<Constant<T["handle"]>, readonly Call[]>;
  readonly notes: T["notes"];
  /** For plans for other sizes. */
  readonly records?: PlanRecords<T> | undefined;
}

/** What a stage is planned from. */
export type PlanRequest<T extends DeviceTypes> = StageRequest<TensorView<T["handle"]>, T["plan"]>;

/**
 * Plans a stage: views, constants, fused loops, kernels, memory. Nothing runs yet and no weight is read. Kernels load
 * the code that they need. Where the records of a plan for other sizes are given, steps that these do not change are
 * taken from it.
 */
export async function planStage<T extends DeviceTypes>(
  request: PlanRequest<T>,
  device: PlanDevice<T>,
  before?: PlanRecords<T> | undefined,
): Promise<PlannedStage<T>> {
  const { stage, inputs, views } = request;
  const same = before && SameStructure.find(before, { ...stage, inputs }, device);
  const again = same && (await new Planner(views, device).planAgain(request, before, same));
  return again ?? (await new Planner(views, device).plan(request));
}

class Planner<T extends DeviceTypes> implements PlanTarget<T>, TensorTable<T> {
  calls: readonly Call[] = [];
  readonly notes: T["notes"];
  readonly #device: PlanDevice<T>;
  readonly #views: Map<LoweredTensor, TensorView<T["handle"]>>;
  readonly #buffers: PlanBuffer<T["handle"]>[] = [];
  /** The constants that are read, with the calls that were the first to need each. */
  readonly #constants = new Map<Constant<T["handle"]>, readonly Call[]>();
  /** How often the current step reads each constant itself. */
  readonly #reads = new Map<Constant<T["handle"]>, number>();
  readonly #steps: PlannedStep<T>[] = [];
  #work: T["step"][] = [];
  #now = 0;
  /** What planning the current step has done. */
  #made: PlanBuffer<T["handle"]>[] = [];
  #used: PlanBuffer<T["handle"]>[] = [];
  #places: Placed<T>[] = [];
  /** Views of results that have the memory that they had in the plan before. */
  #seeds: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>> = new Map();
  /** The buffers of the plan before. */
  readonly #kept = new Set<PlanBuffer<T["handle"]>>();

  constructor(views: ReadonlyMap<LoweredTensor, TensorView<T["handle"]>>, device: PlanDevice<T>) {
    this.#device = device;
    this.#views = new Map(views);
    this.notes = device.begin();
  }

  async plan({ stage, inputs, after }: PlanRequest<T>): Promise<PlannedStage<T>> {
    const device = this.#device;
    const { live, calls } = stage;
    for (const input of inputs) this.#make(input);
    const constantSteps: StepRecord<T>[] = [];
    const rest = await this.#foldConstants(calls, live, constantSteps);
    const questions: EpilogueQuestion[] = [];
    const fused = fuse(rest, {
      live,
      ...this.#limits(),
      takesEpilogue: (call, group) => {
        const answer = device.takesEpilogue(call, group);
        questions.push({ call, group, answer });
        return answer;
      },
    });
    const rewritten = (await device.rewriteSteps?.(fused, live)) ?? fused;
    const steps: StepRecord<T>[] = [];
    for (const step of rewritten) steps.push(await this.#planStep(step));
    await this.#end(stage);
    const planned = this.#planned(after);
    if (device.sharesSteps !== true || rewritten !== fused || after !== null) return planned;
    const inputViews = inputs.map((input) => this.get(input));
    const lasts = new Map(this.#buffers.map((buffer) => [buffer, buffer.last]));
    return { ...planned, records: { calls, live, inputs, inputViews, constantSteps, steps, questions, lasts } };
  }

  /**
   * Plans a stage whose steps have the structure of a plan for other sizes. What these do not change is taken from it,
   * in the memory that it has there. Returns null where that memory is not free for as long as it is needed here.
   */
  async planAgain(
    request: PlanRequest<T>,
    before: PlanRecords<T>,
    same: SameStructure<T>,
  ): Promise<PlannedStage<T> | null> {
    const { stage, inputs, after } = request;
    for (const [i, input] of inputs.entries()) {
      if (input === before.inputs[i]) this.#take(input, before.inputViews[i]!);
      else this.#make(input);
    }
    for (const record of before.constantSteps) {
      if (this.#isSame(record, same)) for (const [tensor, view] of record.places) this.set(tensor, view);
      else await this.#constantStep(same.step(record.step) as Step);
    }
    this.#reads.clear();
    for (const record of before.steps) {
      if (this.#isSame(record, same)) this.#repeat(record);
      else {
        this.#seeds = seedsOf(record, same);
        const step = same.step(record.step);
        // A loop asks for the strides of its result first.
        if (step.kind !== "elementwise") for (const [tensor, view] of this.#seeds) this.#take(tensor, view);
        await this.#planStep(step);
        this.#seeds = new Map();
      }
    }
    await this.#end(stage);
    for (const buffer of this.#kept) if (buffer.last > before.lasts.get(buffer)!) return null;
    return this.#planned(after);
  }

  /** Copies outputs where they cannot be read, and keeps what is read after the steps. */
  async #end({ live, calls, end }: PlanRequest<T>["stage"]): Promise<void> {
    if (end.kind === "return") {
      for (const output of end.outputs.flatMap(tensorsIn)) await this.#copyOut(output, calls);
    }
    this.#now = Number.MAX_SAFE_INTEGER;
    for (const tensor of live) this.#uses(this.get(tensor).buffer);
    this.#keepConstants();
  }

  /** Gives everything its memory. */
  #planned(after: T["plan"] | null): PlannedStage<T> {
    const layout = this.#device.layOut(this.#buffers, after, this.#kept);
    return { steps: this.#steps, views: this.#views, layout, constants: this.#constants, notes: this.notes };
  }

  get(tensor: LoweredTensor): TensorView<T["handle"]> {
    return this.#views.get(tensor)!;
  }

  set(tensor: LoweredTensor, view: TensorView<T["handle"]>): void {
    this.#views.set(tensor, view);
    this.#places.push([tensor, view]);
  }

  add(step: T["step"]): void {
    this.#work.push(step);
    for (const buffer of this.#device.buffersOf?.(step) ?? []) this.#uses(buffer);
  }

  allocate(bytes: number): DeviceBuffer<T["handle"]> {
    this.#device.checkBuffer?.(bytes);
    const buffer = new PlanBuffer(this.#device.memory, bytes, this.#now, this.calls);
    this.#buffers.push(buffer);
    this.#made.push(buffer);
    return buffer;
  }

  reads(buffer: DeviceBuffer<T["handle"]>): void {
    if (this.#device.buffersOf === undefined) this.#uses(buffer);
  }

  unreads(constant: Constant<T["handle"]>): void {
    const reads = this.#reads.get(constant);
    if (reads !== undefined) this.#reads.set(constant, reads - 1);
  }

  /** Keeps a buffer until the current step is done, and a constant for every run. */
  #uses(buffer: DeviceBuffer<T["handle"]>): void {
    if (buffer instanceof PlanBuffer) {
      buffer.last = Math.max(buffer.last, this.#now);
      this.#used.push(buffer);
    }
    const { constant } = buffer;
    if (constant !== null) this.#reads.set(constant, (this.#reads.get(constant) ?? 0) + 1);
  }

  /** Keeps the constants that the current step does read, and returns them. */
  #keepConstants(): readonly Constant<T["handle"]>[] {
    const kept = [...this.#reads].filter(([, count]) => count > 0).map(([constant]) => constant);
    this.#reads.clear();
    this.#readInRuns(kept);
    return kept;
  }

  #readInRuns(constants: readonly Constant<T["handle"]>[]): void {
    for (const constant of constants) if (!this.#constants.has(constant)) this.#constants.set(constant, this.calls);
  }

  async #planStep(step: Step<T["expr"]>): Promise<StepRecord<T>> {
    const calls = callsOf(step);
    const reads = this.#readBy(calls);
    this.#begin();
    const constants = await this.#planWork(calls, () => this.#step(step));
    return {
      step,
      calls,
      reads,
      work: this.#work,
      made: this.#made,
      uses: this.#used,
      constants,
      places: this.#places,
    };
  }

  #begin(): void {
    [this.#made, this.#used, this.#places] = [[], [], []];
  }

  async #planWork(calls: readonly Call[], plan: () => Awaitable<void>): Promise<readonly Constant<T["handle"]>[]> {
    this.calls = calls;
    this.#now++;
    this.#work = [];
    await withErrorLocation(calls, plan);
    if (this.#work.length > 0) this.#steps.push({ calls, work: this.#work });
    return this.#keepConstants();
  }

  /** Repeats a step of the plan before. */
  #repeat({ calls, work, made, uses, constants, places }: StepRecord<T>): void {
    this.calls = calls;
    this.#now++;
    for (const buffer of made) this.#keep(buffer);
    for (const [tensor, view] of places) this.#views.set(tensor, view);
    for (const buffer of uses) buffer.last = Math.max(buffer.last, this.#now);
    this.#readInRuns(constants);
    if (work.length > 0) this.#steps.push({ calls, work });
  }

  /** Whether planning a step again would do what it did: its calls are the same, and lie where they did. */
  #isSame({ calls, reads }: StepRecord<T>, same: SameStructure<T>): boolean {
    for (const call of calls) if (same.changes(call)) return false;
    for (const [tensor, view] of reads) if (this.#views.get(tensor) !== view) return false;
    return true;
  }

  /** Takes the memory of a tensor from the plan before. */
  #take(tensor: LoweredTensor, view: TensorView<T["handle"]>): TensorView<T["handle"]> {
    this.#keep(view.buffer as PlanBuffer<T["handle"]>);
    this.set(tensor, view);
    return view;
  }

  #keep(buffer: PlanBuffer<T["handle"]>): void {
    buffer.last = buffer.first;
    this.#kept.add(buffer);
    this.#buffers.push(buffer);
  }

  /** Returns where the tensors lie that calls read and do not make. */
  #readBy(calls: readonly Call[]): readonly Placed<T>[] {
    const own = new Set(calls.flatMap(({ results }) => results.flatMap(tensorsIn)));
    const read = new Set(calls.flatMap(operandsOf));
    return [...read].filter((tensor) => !own.has(tensor)).map((tensor) => [tensor, this.get(tensor)]);
  }

  #step(step: Step<T["expr"]>): Awaitable<void> {
    switch (step.kind) {
      case "call":
        if (step.call.kind === "view") return this.#setViews(step.call, this.#read(viewedBy(step.call)));
        return this.#call(step.call, null);
      case "elementwise": {
        const { output, inputs, expr } = step.group;
        const operands = inputs.map((tensor) => this.#read(tensor));
        const strides = this.#device.strides?.(output.shape, operands);
        return this.#device.context(this).elementwise(this.#make(output, strides), operands, expr);
      }
      case "epilogue":
        return this.#epilogue(step.call, step.result, step.group);
    }
  }

  async #call(call: Call, epilogue: Epilogue<T> | null): Promise<void> {
    const made = this.#buffers.length;
    await prepareCall(
      this.#device,
      this,
      { call, table: this, epilogue },
      {
        steps: this.#work,
        isNew: (buffer) => this.#buffers.indexOf(buffer as PlanBuffer<T["handle"]>, made) >= 0,
      },
    );
    // Empty results need no step, but they need memory to refer to.
    for (const tensor of call.results.flatMap(tensorsIn)) {
      const written = epilogue !== null && tensor === call.results[0] ? epilogue.output : tensor;
      if (!this.#views.has(written)) this.#make(written);
    }
  }

  /** An epilogue that the kernel does not compute itself runs in place, so that no second buffer is touched. */
  async #epilogue(call: Call, result: LoweredTensor, group: ElementwiseGroup): Promise<void> {
    const { output, inputs, expr } = group;
    if (this.#device.fusesEpilogue?.(result, group) ?? true) {
      const operands = inputs.map((tensor) => (tensor === result ? null : this.#read(tensor)));
      await this.#call(call, { output, expr, inputs: operands });
      return;
    }
    await this.#call(call, null);
    const produced = this.get(result);
    if (produced.dtype !== output.dtype) {
      await this.#step({ kind: "elementwise", group });
      return;
    }
    this.set(output, produced);
    const operands = inputs.map((tensor) => this.#read(tensor));
    this.#device.context(this).elementwise(produced, operands, expr);
  }

  /** Copies an output that cannot be read with its present strides, in a step of its own. */
  async #copyOut(output: LoweredTensor, calls: readonly Call[]): Promise<void> {
    const view = this.#views.get(output);
    if (view === undefined || (this.#device.isReadable?.(view) ?? true)) return;
    const makers = calls.filter(({ results }) => results.flatMap(tensorsIn).includes(output));
    await this.#planWork(makers, () => {
      this.reads(view.buffer);
      this.#device.context(this).copy(view, this.#make(output));
    });
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
      source = this.#device.context(this).dense(source);
      geometry = geometryOf(source)!;
    }
    const list: readonly Strided[] = "strides" in geometry ? [geometry] : geometry;
    const { dtype, buffer } = source;
    const room = Math.floor(buffer.bytes / this.#device.itemsize(dtype));
    for (const [i, { shape, strides, offset }] of list.entries()) {
      const view = { dtype, buffer, shape, strides, offset };
      checkInside(view, room);
      this.set(results[i]!, view);
    }
  }

  /**
   * Folds the calls that depend on constants alone, which are computed once for all plans, and returns the other calls.
   */
  async #foldConstants(
    calls: readonly Call[],
    live: ReadonlySet<LoweredTensor>,
    records: StepRecord<T>[],
  ): Promise<readonly Call[]> {
    const constant = new Set<LoweredTensor>();
    const isConstant = (tensor: LoweredTensor): boolean =>
      constant.has(tensor) || this.#views.get(tensor)?.buffer.constant != null;
    const [own, rest]: [Call[], Call[]] = [[], []];
    for (const call of calls) {
      const results = call.results.flatMap(tensorsIn);
      const placed = call.kind === "view" || results.length === 1;
      const alone = placed && isPure(call) && operandsOf(call).every(isConstant);
      (alone ? own : rest).push(call);
      if (alone) for (const result of results) constant.add(result);
    }
    const needed = new Set([...live, ...rest.flatMap(operandsOf)]);
    for (const step of fuse(own, { live: needed, ...this.#limits(), takesEpilogue: () => false })) {
      const reads = this.#readBy(callsOf(step));
      this.#begin();
      await this.#constantStep(step);
      records.push({ ...NOTHING, step, calls: callsOf(step), reads, places: this.#places });
    }
    // A run reads none of these.
    this.#reads.clear();
    return rest;
  }

  async #constantStep(step: Step): Promise<void> {
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
      this.#device.context(target).elementwise(out, from, expr);
    this.set(output, deriveConstant(this.#device, { key: keyOf(expr), label, from, to: layoutOf(output), plan }));
  }

  async #constantCall(call: Call): Promise<void> {
    const operands = operandsOf(call);
    const from = operands.map((tensor) => this.get(tensor));
    const [result] = call.results.flatMap(tensorsIn) as [LoweredTensor];
    const plan = async (target: ConstantWork<T>, out: TensorView<T["handle"]>): Promise<void> => {
      const views = new Map(operands.map((tensor, i) => [tensor, from[i]!]));
      views.set(result, out);
      await prepareCall(
        this.#device,
        target,
        { call, table: views, epilogue: null },
        {
          steps: target.steps,
          isNew: (buffer) => buffer === out.buffer,
        },
      );
      // A kernel that made its result a view of another tensor has not written it.
      const made = views.get(result)!;
      if (made !== out) this.#device.context(target).copy(made, out);
    };
    const what = { key: callKey(call), label: call.record.name, from, to: layoutOf(result), plan };
    this.set(result, await deriveConstant(this.#device, what));
  }

  #read(tensor: LoweredTensor): TensorView<T["handle"]> {
    const view = this.get(tensor);
    this.reads(view.buffer);
    return view;
  }

  /** Allocates a tensor. */
  #make(tensor: LoweredTensor, strides?: readonly number[]): TensorView<T["handle"]> {
    const { dtype, shape } = tensor;
    const seed = this.#seeds.get(tensor);
    if (seed !== undefined && sameStrides(shape, seed.strides, strides ?? contiguousStrides(shape))) {
      return this.#take(tensor, seed);
    }
    const buffer = this.allocate(bytesOf(this.#device, dtype, shape));
    const view = viewOf(buffer, strides === undefined ? { dtype, shape } : { dtype, shape, strides });
    this.set(tensor, view);
    return view;
  }

  #limits(): { readonly maxInputs?: number } {
    const { maxInputs } = this.#device;
    return maxInputs === undefined ? {} : { maxInputs };
  }
}

/** What the computation of a constant leaves to runs. */
const NOTHING = { work: [], made: [], uses: [], constants: [] } as const;

/** Returns the results of a step that are the tensors of the plan before, and have memory of their own there. */
function seedsOf<T extends DeviceTypes>(
  { step, calls, made, places }: StepRecord<T>,
  same: SameStructure<T>,
): ReadonlyMap<LoweredTensor, TensorView<T["handle"]>> {
  const isView = step.kind === "call" && step.call.kind === "view";
  // Results of packages' kernels are checked as they are made.
  if (isView || calls.some(({ packaged }) => packaged)) return new Map();
  const own: readonly DeviceBuffer<T["handle"]>[] = made;
  return new Map(places.filter(([tensor, { buffer }]) => !same.replaces(tensor) && own.includes(buffer)));
}

function layoutOf({ dtype, shape }: LoweredTensor): TensorLayout {
  return { dtype, shape };
}

/** Returns the tensor that a view call views. */
function viewedBy({ args, record }: Call): LoweredTensor {
  return args[record.schema.args[0]!.name] as LoweredTensor;
}
