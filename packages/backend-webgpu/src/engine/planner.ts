import {
  callKey,
  callsOf,
  type ElementwiseGroup,
  fuse,
  isPure,
  located,
  operandsOf,
  requireResults,
  type StageRequest,
  type Step,
} from "@pt2/engine";
import { checkInside } from "@pt2/engine/strides";
import { type Call, describeNode, type LoweredTensor, type Stage, type Strided, tensorsIn } from "@pt2/registry";
import { keyOf } from "@pt2/registry/scalar";
import type { Guard } from "../shader/shader.ts";
import { CallContext, type Fused, type TensorTable } from "./call-context.ts";
import type { Buffer, Constant } from "./constant.ts";
import { bytesOf, Context, placeIn, placeKey } from "./context.ts";
import { GuardWords } from "./guard-words.ts";
import type { Kernels } from "./kernels.ts";
import { requireBufferSize } from "./memory.ts";
import { pairUp } from "./pairing.ts";
import type { PairStep } from "./pairs.ts";
import { elementsIn, isCopyable, type Place } from "./place.ts";
import { type Arena, RunBuffer } from "./run-buffer.ts";
import type { Services } from "./services.ts";
import { planSlots } from "./slots.ts";
import { buffersOf, type StepSink, type Work } from "./step-sink.ts";

/** What runs for one fused step. */
export interface PlannedStep {
  /** The calls that it computes. */
  readonly calls: readonly Call[];
  readonly work: readonly Work[];
}

/** A stage with everything decided: which shaders run in which order, and which memory they share. */
export interface PlannedStage {
  readonly steps: readonly PlannedStep[];
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  /** Sizes of the buffers of the run, from `slotStart` on. */
  readonly slots: readonly number[];
  /** What it reads that never changes, with the calls that were the first to need it. */
  readonly constants: ReadonlyMap<Constant, readonly Call[]>;
  readonly guards: GuardWords;
}

/**
 * Storage bindings that a kernel may need for itself, when elementwise ops with operands of theirs are fused to it: for
 * what it is given and what it gives, a table of its own, and what tells of indices out of range.
 */
function bindingsOf(call: Call): number {
  return Math.max(5, operandsOf(call).length + call.results.length + 1);
}

/** What a stage is planned from. */
type Request = Pick<StageRequest<Place, never>, "stage" | "places" | "inputs">;

/** Plans a stage: kernels, fused loops, memory. Nothing runs yet and no weight is read. */
export function planStage(
  request: Request,
  slotStart: number,
  services: Services,
  kernels: Kernels,
  arena: Arena,
): PlannedStage {
  return new Planner(request.places, services, kernels, arena).plan(request, slotStart);
}

class Planner implements StepSink, TensorTable {
  readonly #services: Services;
  readonly #kernels: Kernels;
  readonly #arena: Arena;
  readonly #places: Map<LoweredTensor, Place>;
  readonly #buffers: RunBuffer[] = [];
  /** With the calls that were the first to need them. */
  readonly #constants = new Map<Constant, readonly Call[]>();
  readonly #guards = new GuardWords();
  readonly #steps: PlannedStep[] = [];
  #work: Work[] = [];
  #calls: readonly Call[] = [];
  #now = 0;

  constructor(places: ReadonlyMap<LoweredTensor, Place>, services: Services, kernels: Kernels, arena: Arena) {
    this.#services = services;
    this.#kernels = kernels;
    this.#arena = arena;
    this.#places = new Map(places);
  }

  plan({ stage, inputs }: Request, slotStart: number): PlannedStage {
    const { adapter } = this.#services.device;
    for (const input of inputs) this.#make(input);
    const bindings = adapter.limits.maxStorageBuffersPerShaderStage;
    const fused = fuse(this.#planConstants(stage, bindings - 1), {
      live: stage.live,
      maxInputs: bindings - 1,
      takesEpilogue: (call, group) => this.#fuses(call) && group.inputs.length - 1 + bindingsOf(call) <= bindings,
    });
    for (const step of pairUp(fused, stage.live, bindings - 1)) {
      this.#calls = step.kind === "pairs" ? step.calls : callsOf(step);
      located(this.#calls, () => this.#planStep(step));
    }
    if (stage.end.kind === "return")
      for (const output of stage.end.outputs.flatMap(tensorsIn)) this.#copyOut(output, stage.calls);
    this.#now = Number.MAX_SAFE_INTEGER;
    for (const tensor of stage.live) this.#uses(this.#places.get(tensor)!.buffer);
    const { slots, bytes } = planSlots(this.#buffers);
    for (const [i, buffer] of this.#buffers.entries()) buffer.slot = slotStart + slots[i]!;
    return {
      steps: this.#steps,
      places: this.#places,
      slots: bytes,
      constants: this.#constants,
      guards: this.#guards,
    };
  }

  get(tensor: LoweredTensor): Place | undefined {
    return this.#places.get(tensor);
  }

  set(tensor: LoweredTensor, place: Place): void {
    this.#places.set(tensor, place);
  }

  allocate(bytes: number): Buffer {
    // Elements may take more here than in the dtype that lowering counted.
    requireBufferSize("A tensor", bytes, this.#services.device.gpu);
    const buffer = new RunBuffer(this.#arena, bytes, this.#now);
    this.#buffers.push(buffer);
    return buffer;
  }

  add(work: Work): void {
    this.#work.push(work);
    for (const buffer of buffersOf(work)) this.#uses(buffer);
    // Compiling begins while the rest is planned; what fails tells it when the plan is made ready.
    if (work.kind === "dispatch") this.#services.device.pipelines.get(work.dispatch).catch(() => {});
  }

  scratch(bytes: number): Buffer {
    return this.allocate(bytes);
  }

  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number } {
    const node = this.#calls.at(-1)?.node;
    return this.#guards.add(guard, node && describeNode(node));
  }

  /** The buffer is needed until the current step is done; a constant, in every run. */
  #uses(buffer: Buffer): void {
    if (buffer instanceof RunBuffer) buffer.last = Math.max(buffer.last, this.#now);
    const { constant } = buffer;
    if (constant !== null && !this.#constants.has(constant)) this.#constants.set(constant, this.#calls);
  }

  #fuses(call: Call): boolean {
    const fuses = this.#kernels.get(call)?.fuses ?? false;
    return typeof fuses === "function" ? fuses(call.args) : fuses;
  }

  #planStep(step: Step | PairStep): void {
    this.#now++;
    this.#work = [];
    switch (step.kind) {
      case "call":
        if (step.call.kind === "view") this.#view(step.call);
        else this.#call(step.call, null);
        break;
      case "elementwise":
        this.#elementwise(step.group);
        break;
      case "pairs":
        this.#pairs(step);
        break;
      case "epilogue": {
        const { call, result, group } = step;
        const inputs = group.inputs.map((tensor) => (tensor === result ? null : this.#places.get(tensor)!));
        this.#call(call, { output: group.output, epilogue: { expr: group.expr, inputs } });
        break;
      }
    }
    if (this.#work.length > 0) this.#steps.push({ work: this.#work, calls: this.#calls });
  }

  #call(call: Call, fused: Fused | null): void {
    const context = new CallContext(this.#services, this, this, call, fused);
    const made = this.#buffers.length;
    this.#kernels.get(call)!.prepare(context);
    requireResults(call, (result) => {
      const written = fused !== null && result === call.results[0] ? fused.output : result;
      const place = this.#places.get(written);
      if (place === undefined) return "makes no";
      const isNew = this.#buffers.indexOf(place.buffer as RunBuffer, made) >= 0;
      return isNew && this.#work.length === 0 ? "plans no shader that writes" : null;
    });
    // Empty results need no shader, but a place.
    const [first, ...others] = call.results.flatMap(tensorsIn);
    for (const tensor of [fused?.output ?? first, ...others]) {
      if (tensor !== undefined && !this.#places.has(tensor)) this.#make(tensor);
    }
  }

  /** An output that cannot be copied as it lies is laid out by a step of its own. */
  #copyOut(output: LoweredTensor, calls: readonly Call[]): void {
    const place = this.#places.get(output);
    if (place === undefined || isCopyable(place, this.#services.device.adapter)) return;
    this.#calls = calls.filter(({ results }) => results.flatMap(tensorsIn).includes(output));
    this.#now++;
    this.#work = [];
    const dense = this.#make(output);
    new Context(this.#services, this).copy(place, dense);
    this.#steps.push({ work: this.#work, calls: this.#calls });
  }

  #elementwise({ inputs, output, expr }: ElementwiseGroup): void {
    const operands = inputs.map((tensor) => this.#places.get(tensor)!);
    new Context(this.#services, this).elementwise(this.#make(output), operands, expr);
  }

  #pairs({ inputs, output, expr }: PairStep): void {
    const operands = inputs.map((tensor) => this.#places.get(tensor)!);
    new Context(this.#services, this).elementwise(this.#make(output), operands, expr);
  }

  /** Gives a tensor memory. */
  #make(tensor: LoweredTensor): Place {
    const { dtype, shape } = tensor;
    const place = placeIn(this.allocate(bytesOf(dtype, shape, this.#services.device.adapter)), dtype, shape);
    this.set(tensor, place);
    return place;
  }

  #view(call: Call): void {
    const source = call.args[call.record.schema.args[0]!.name] as LoweredTensor;
    this.#setViews(call, this.#places.get(source)!, new Context(this.#services, this));
  }

  /** Views share memory where strides can express them; else the source is copied first. */
  #setViews(call: Call, place: Place, context: Context): void {
    const results = call.results.flatMap(tensorsIn);
    let source = place;
    let geometry = call.record.view!(place, call.args);
    if (geometry === null) {
      source = context.dense(place);
      geometry = call.record.view!(source, call.args)!;
    }
    const list: readonly Strided[] = "strides" in geometry ? [geometry] : geometry;
    const { dtype, buffer } = source;
    const room = elementsIn(source, this.#services.device.adapter);
    for (const [i, { shape, strides, offset }] of list.entries()) {
      const view = { dtype, buffer, shape, strides, offset };
      checkInside(view, room);
      this.set(results[i]!, view);
    }
  }

  /** Places what depends on constants alone, which is computed once for all plans, and gives the calls that are left. */
  #planConstants({ calls, live }: Pick<Stage, "calls" | "live">, maxInputs: number): readonly Call[] {
    const constant = new Set<LoweredTensor>();
    const isConstant = (tensor: LoweredTensor): boolean =>
      constant.has(tensor) || this.#places.get(tensor)?.buffer.constant != null;
    const [own, rest]: [Call[], Call[]] = [[], []];
    for (const call of calls) {
      const results = call.results.flatMap(tensorsIn);
      const placed = call.kind === "view" || results.length === 1;
      const alone = placed && isPure(call) && operandsOf(call).every(isConstant);
      (alone ? own : rest).push(call);
      if (alone) for (const result of results) constant.add(result);
    }
    const needed = new Set([...live, ...rest.flatMap(operandsOf)]);
    for (const step of fuse(own, { live: needed, maxInputs, takesEpilogue: () => false })) {
      located(callsOf(step), () => {
        if (step.kind === "elementwise") this.#constantLoop(step.group);
        else this.#constantCall(step.call);
      });
    }
    return rest;
  }

  #constantLoop({ inputs, output, expr, calls }: ElementwiseGroup): void {
    const places = inputs.map((tensor) => this.#places.get(tensor)!);
    const label = calls.map(({ record }) => record.name).join(" + ");
    this.#derive(output, keyOf(expr), places, label, (ctx, out) => ctx.elementwise(out, places, expr));
  }

  #constantCall(call: Call): void {
    const operands = operandsOf(call);
    const places = operands.map((tensor) => this.#places.get(tensor)!);
    if (call.kind === "view") {
      this.#setViews(call, places[0]!, new Context(this.#services, this));
      return;
    }
    const [result] = call.results.flatMap(tensorsIn) as [LoweredTensor];
    this.#derive(result, callKey(call), places, call.record.name, (ctx, out) => {
      this.#computeConstant(call, result, new Map(operands.map((tensor, i) => [tensor, places[i]!])), ctx, out);
    });
  }

  /** A constant that `compute` makes of others; the same computation of the same ones is the same constant. */
  #derive(
    result: LoweredTensor,
    what: string,
    from: readonly Place[],
    label: string,
    compute: (ctx: Context, out: Place) => void,
  ): void {
    const { dtype, shape } = result;
    const key = `${what}|${from.map(placeKey).join(",")}|${dtype}[${shape}]`;
    const bytes = bytesOf(dtype, shape, this.#services.device.adapter);
    const constant = this.#services.derive(key, bytes, label, (ctx, to) =>
      compute(ctx as Context, placeIn(to, dtype, shape)),
    );
    this.set(result, placeIn(constant, dtype, shape));
  }

  #computeConstant(
    call: Call,
    result: LoweredTensor,
    placeOf: Map<LoweredTensor, Place>,
    ctx: Context,
    out: Place,
  ): void {
    const table: TensorTable = {
      get: (tensor) => placeOf.get(tensor),
      set: (tensor, place) => void placeOf.set(tensor, place),
      allocate: (bytes) => ctx.sink.scratch(bytes),
    };
    placeOf.set(result, out);
    this.#kernels.get(call)!.prepare(new CallContext(this.#services, ctx.sink, table, call));
    // A kernel that made its result a view of something has not written it.
    const made = placeOf.get(result)!;
    if (made !== out) ctx.copy(made, out);
  }
}
