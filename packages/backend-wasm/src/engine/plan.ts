import { numel } from "@pt2/backend";
import {
  type Clamp,
  callKey,
  callsOf,
  clampOf,
  type ElementwiseGroup,
  fuse,
  isPure,
  type KernelSet,
  located,
  planArena,
  requireResults,
  type StagePlan,
  type Step,
} from "@pt2/engine";
import { checkInside, resultStrides, rowMajor } from "@pt2/engine/strides";
import { DTYPES } from "@pt2/format";
import { type Call, type LoweredTensor, type Stage, type Strided, tensorsIn } from "@pt2/registry";
import { CallContext, type TensorTable } from "./call-context.ts";
import { checkRoom, type LargestBuffer } from "./check-plan.ts";
import type { Constant } from "./constant.ts";
import { Context, placeKey } from "./context.ts";
import type { WasmKernel } from "./kernel.ts";
import { type Arena, ArenaBuffer, type Buffer, elementsIn, type Place } from "./place.ts";
import type { Services } from "./services.ts";
import type { StepSink } from "./step-sink.ts";

/** What runs for one fused step. */
export interface PlannedStep {
  readonly runs: readonly (() => void)[];
  /** The calls that it computes. */
  readonly calls: readonly Call[];
}

/** A stage in the memory of its executable. */
export interface WasmPlan extends StagePlan<Place> {
  readonly steps: readonly PlannedStep[];
  /** End of the arena that this stage and those before it use. */
  readonly arenaEnd: number;
  /** Constants to be in memory before the first run. */
  readonly constants: readonly Constant[];
}

/** What a stage starts from. */
export interface StageStart {
  /** Places of tensors that exist already: weights, buffers, live tensors of earlier stages. */
  readonly places: ReadonlyMap<LoweredTensor, Place>;
  /** Tensors that are written from outside before the first step. */
  readonly inputs: readonly LoweredTensor[];
  /** Arena bytes that belong to earlier stages. */
  readonly arenaStart: number;
}

/** Plans a stage: layouts, kernels, fused loops, memory. Nothing runs yet and no weight is read. */
export function planStage(
  stage: Pick<Stage, "calls" | "live">,
  start: StageStart,
  services: Services,
  kernels: KernelSet<WasmKernel>,
  arena: Arena,
): WasmPlan {
  return new Planner(start, services, kernels, arena).plan(stage);
}

/** Constants are seldom as the rest of a program likes them. */
const isVariable = ({ buffer }: Place): boolean => buffer.constant === null;

class Planner implements StepSink, TensorTable {
  readonly #services: Services;
  readonly #kernels: KernelSet<WasmKernel>;
  readonly #arena: Arena;
  readonly #arenaStart: number;
  readonly #places: Map<LoweredTensor, Place>;
  readonly #buffers: ArenaBuffer[] = [];
  readonly #constants = new Set<Constant>();
  /** How often the current call reads each constant itself. */
  readonly #reads = new Map<Constant, number>();
  readonly #steps: PlannedStep[] = [];
  #runs: (() => void)[] = [];
  #calls: readonly Call[] = [];
  /** The largest buffer and what it is for: what to name when the plan does not fit. */
  #largest: LargestBuffer = { bytes: 0, calls: [] };
  #now = 0;

  constructor(start: StageStart, services: Services, kernels: KernelSet<WasmKernel>, arena: Arena) {
    this.#services = services;
    this.#kernels = kernels;
    this.#arena = arena;
    this.#arenaStart = start.arenaStart;
    this.#places = new Map(start.places);
    for (const input of start.inputs) {
      const { dtype, shape } = input;
      const buffer = this.allocate(numel(shape) * DTYPES[dtype].itemsize);
      this.#places.set(input, { dtype, shape, strides: rowMajor(shape), offset: 0, buffer });
    }
  }

  plan(stage: Pick<Stage, "calls" | "live">): WasmPlan {
    const takesEpilogue = (call: Call): boolean => this.#kernels.get(call)?.clamps?.(call.args) ?? false;
    const variable: Call[] = [];
    for (const call of stage.calls) if (!located([call], () => this.#tryConstant(call))) variable.push(call);
    this.#reads.clear();
    for (const step of fuse(variable, { live: stage.live, takesEpilogue })) {
      this.#calls = callsOf(step);
      located(this.#calls, () => this.#planStep(step));
    }
    this.#now = Number.MAX_SAFE_INTEGER;
    for (const tensor of stage.live) this.reads(this.get(tensor).buffer);
    this.#collectConstants();
    const { offsets, bytes } = planArena(this.#buffers);
    checkRoom(this.#arenaStart + bytes, this.#largest);
    for (const [i, buffer] of this.#buffers.entries()) buffer.offset = this.#arenaStart + offsets[i]!;
    const arenaEnd = this.#arenaStart + bytes;
    return {
      steps: this.#steps,
      place: (tensor) => this.get(tensor),
      arenaEnd,
      summary: `arena ${arenaEnd} bytes, ${this.#steps.length} steps`,
      constants: [...this.#constants],
    };
  }

  get(tensor: LoweredTensor): Place {
    return this.#places.get(tensor)!;
  }

  set(tensor: LoweredTensor, place: Place): void {
    this.#places.set(tensor, place);
  }

  allocate(bytes: number): Buffer {
    if (bytes > this.#largest.bytes) this.#largest = { bytes, calls: this.#calls };
    const buffer = new ArenaBuffer(this.#arena, bytes, this.#now);
    this.#buffers.push(buffer);
    return buffer;
  }

  step(run: () => void): void {
    this.#runs.push(run);
  }

  scratch(bytes: number): Buffer {
    return this.allocate(bytes);
  }

  reads(buffer: Buffer): void {
    if (buffer instanceof ArenaBuffer) buffer.last = Math.max(buffer.last, this.#now);
    this.#countRead(buffer.constant, 1);
  }

  unreads(constant: Constant): void {
    this.#countRead(constant, -1);
  }

  #countRead(constant: Constant | null, by: number): void {
    if (constant !== null) this.#reads.set(constant, (this.#reads.get(constant) ?? 0) + by);
  }

  /** Keeps the constants that the calls since the last time do read. */
  #collectConstants(): void {
    for (const [constant, count] of this.#reads) if (count > 0) this.#constants.add(constant);
    this.#reads.clear();
  }

  #planStep(step: Step): void {
    this.#now++;
    this.#runs = [];
    switch (step.kind) {
      case "call":
        if (step.call.kind === "view") this.#view(step.call);
        else this.#call(step.call);
        break;
      case "elementwise":
        this.#elementwise(step.group);
        break;
      case "epilogue":
        this.#epilogue(step.call, step.result, step.group);
        break;
    }
    if (this.#runs.length > 0) this.#steps.push({ runs: this.#runs, calls: this.#calls });
    this.#collectConstants();
  }

  #call(call: Call, clamp?: Clamp): void {
    const made = this.#buffers.length;
    this.#kernels.get(call)!.prepare(new CallContext(this.#services, this, this, call, clamp));
    requireResults(call, (result) => {
      const place = this.#places.get(result);
      if (place === undefined) return "makes no";
      const isNew = this.#buffers.indexOf(place.buffer as ArenaBuffer, made) >= 0;
      return isNew && this.#runs.length === 0 ? "plans no step that writes" : null;
    });
  }

  #elementwise(group: ElementwiseGroup): void {
    const inputs = group.inputs.map((tensor) => this.#read(tensor));
    const { dtype, shape } = group.output;
    const buffer = this.allocate(numel(shape) * DTYPES[dtype].itemsize);
    const out: Place = { dtype, shape, strides: resultStrides(shape, inputs, isVariable), offset: 0, buffer };
    this.set(group.output, out);
    new Context(this.#services, this).elementwise(out, inputs, group.expr);
  }

  /** A clamp happens in the kernel's registers; any other loop follows in place, so that no second buffer is touched. */
  #epilogue(call: Call, result: LoweredTensor, group: ElementwiseGroup): void {
    const clamp = group.inputs.length === 1 && result.dtype === "float32" ? clampOf(group.expr) : null;
    this.#call(call, clamp ?? undefined);
    const produced = this.get(result);
    if (clamp === null && produced.dtype !== group.output.dtype) {
      this.#elementwise(group);
      return;
    }
    this.set(group.output, produced);
    if (clamp !== null) return;
    const inputs = group.inputs.map((tensor) => this.#read(tensor));
    new Context(this.#services, this).elementwise(produced, inputs, group.expr);
  }

  #view(call: Call): void {
    const source = call.args[call.record.schema.args[0]!.name] as LoweredTensor;
    this.#setViews(call, this.#read(source));
  }

  /** Views share memory where strides can express them; else the source is copied first. */
  #setViews(call: Call, place: Place): void {
    const results = call.results.flatMap(tensorsIn);
    let source = place;
    let geometry = call.record.view!(place, call.args);
    if (geometry === null) {
      source = new Context(this.#services, this).dense(place);
      geometry = call.record.view!(source, call.args)!;
    }
    const list: readonly Strided[] = "strides" in geometry ? [geometry] : geometry;
    const { dtype, buffer } = source;
    const room = elementsIn(source);
    for (const [i, { shape, strides, offset }] of list.entries()) {
      const view = { dtype, buffer, shape, strides, offset };
      checkInside(view, room);
      this.set(results[i]!, view);
    }
  }

  #read(tensor: LoweredTensor): Place {
    const place = this.get(tensor);
    this.reads(place.buffer);
    return place;
  }

  /** A call on constants alone is computed once, for all plans, when its value is first needed. */
  #tryConstant(call: Call): boolean {
    const operands = Object.values(call.args).flatMap(tensorsIn);
    const places = operands.map((tensor) => this.#places.get(tensor));
    if (!isPure(call) || places.some((place) => place?.buffer.constant == null)) return false;
    if (call.kind === "view") {
      this.#setViews(call, places[0]!);
      return true;
    }
    const [result, ...more] = call.results.flatMap(tensorsIn);
    if (result === undefined || more.length > 0) return false;
    this.set(result, this.#constant(call, result, operands, places as readonly Place[]));
    return true;
  }

  #constant(call: Call, result: LoweredTensor, operands: readonly LoweredTensor[], places: readonly Place[]): Place {
    const { dtype, shape } = result;
    const key = `${callKey(call)}|${places.map(placeKey).join(",")}|${dtype}[${shape}]`;
    const inputs = places.map((place) => place.buffer.constant!);
    const strides = rowMajor(shape);
    const buffer = this.#services.constants.derive(key, numel(shape) * DTYPES[dtype].itemsize, inputs, (ctx, to) => {
      const out: Place = { dtype, shape, strides, offset: 0, buffer: to };
      const placeOf = new Map(operands.map((tensor, i) => [tensor, places[i]!]));
      if (call.scalar !== undefined) {
        ctx.elementwise(
          out,
          call.scalar.operands.map((tensor) => placeOf.get(tensor)!),
          call.scalar.expr,
        );
        return;
      }
      const table = new ConstantTable(placeOf, ctx.sink);
      this.#kernels.get(call)!.prepare(new CallContext(this.#services, ctx.sink, table, call));
      requireResults(call, () => (placeOf.has(result) ? null : "makes no"));
      ctx.copy(table.get(result), out);
    });
    return { dtype, shape, strides, offset: 0, buffer };
  }
}

/** Tensors of one constant's computation: its operands, and results in temporaries. */
class ConstantTable implements TensorTable {
  readonly #places: Map<LoweredTensor, Place>;
  readonly #sink: StepSink;

  constructor(places: Map<LoweredTensor, Place>, sink: StepSink) {
    this.#places = places;
    this.#sink = sink;
  }

  get(tensor: LoweredTensor): Place {
    return this.#places.get(tensor)!;
  }

  set(tensor: LoweredTensor, place: Place): void {
    this.#places.set(tensor, place);
  }

  allocate(bytes: number): Buffer {
    return this.#sink.scratch(bytes);
  }
}
