import {
  type DeviceData,
  elementBytes,
  isDeviceData,
  locate,
  numberOf,
  type RunHooks,
  type StageEngine,
  type StageRequest,
  type TensorData,
} from "@pt2/engine";
import { type DType, Pt2Error } from "@pt2/format";
import type { LoweredTensor, LowerOptions, RunNumber } from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import type { Constant } from "./constant.ts";
import { ConstantPool } from "./constant-pool.ts";
import { ConstantWork } from "./constant-work.ts";
import { bytesOf, Context, placeIn } from "./context.ts";
import type { Device } from "./device.ts";
import { readPlaces, spanOf, writePlace } from "./elements.ts";
import type { Kernels } from "./kernels.ts";
import type { Memory } from "./memory.ts";
import { isCopyable, type Place } from "./place.ts";
import { WebgpuPlan } from "./plan.ts";
import { planStage } from "./planner.ts";
import { Arena, OwnBuffer } from "./run-buffer.ts";
import { runSteps } from "./run-steps.ts";
import type { Services } from "./services.ts";
import { ShaderNames } from "./shader-names.ts";
import type { Range, Stream } from "./stream.ts";
import { Transfers } from "./transfers.ts";

/** What an engine is made of. */
export interface EngineParts {
  readonly device: Device;
  readonly memory: Memory;
  readonly stream: Stream;
  readonly kernels: Kernels;
  readonly lowerOptions: LowerOptions;
  readonly exact: boolean;
  /** Told which weight records will be loaded next. */
  readonly expect: (records: readonly Constant[]) => void;
}

/** Plans and runs stages on a device. */
export class WebgpuEngine implements StageEngine<Place, WebgpuPlan> {
  readonly lowerOptions: LowerOptions;
  readonly exact: boolean;
  readonly arena: Arena;
  /** Called with how many shaders of a plan are compiled, and of how many. */
  onCompiled: ((done: number, total: number) => void) | undefined;
  readonly #parts: EngineParts;
  readonly #pool: ConstantPool;
  readonly #services: Services;
  readonly #transfers: Transfers;
  readonly #names = new ShaderNames();
  readonly #plans = new Set<WebgpuPlan>();
  /** Plans whose guards have not been checked since they ran. */
  readonly #unchecked = new Set<WebgpuPlan>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.lowerOptions = parts.lowerOptions;
    this.exact = parts.exact;
    this.arena = new Arena(parts.memory);
    this.#transfers = new Transfers(parts.memory);
    this.#pool = new ConstantPool(parts.memory, parts.expect);
    this.#services = {
      device: parts.device,
      exact: parts.exact,
      state: new Map(),
      derive: (key, bytes, label, build) => this.#derive(key, bytes, label, build),
      literal: (dtype, shape, data) => this.#literal(dtype, shape, data),
    };
  }

  isConstant(place: Place): boolean {
    return place.buffer.constant !== null;
  }

  async plan(request: StageRequest<Place, WebgpuPlan>): Promise<WebgpuPlan> {
    const { device, memory, kernels, stream } = this.#parts;
    const { onCompiled } = this;
    const { signal } = stream;
    const { after } = request;
    const slotStart = after?.slotEnd ?? 0;
    const stage = await loading(() => planStage(request, slotStart, this.#services, kernels, this.arena));
    const constants = [...stage.constants.keys()];
    await this.#pool.settle(constants, {
      onLoaded: () => signal?.throwIfAborted(),
      // A weight that cannot be read says so by itself.
      explain: (error, constant) => (error instanceof Pt2Error ? locate(error, stage.constants.get(constant)!) : error),
    });
    let plan: WebgpuPlan | undefined;
    try {
      plan = await WebgpuPlan.make(device, memory, stage, slotStart, { names: this.#names, onCompiled, signal });
      // A plan for which there is no memory is not kept.
      await memory.faults.settle();
      this.#plans.add(plan);
      return plan;
    } catch (error) {
      plan?.dispose();
      this.#pool.release(constants);
      throw error;
    }
  }

  write(
    plan: WebgpuPlan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RunNumber[],
  ): void {
    const { stream, device } = this.#parts;
    plan.bind(this.arena);
    for (const [i, tensor] of tensors.entries()) {
      const place = plan.place(tensor);
      const value = values[i]!;
      if (isDeviceData(value)) stream.copy(wholeOf(value, device), place.buffer.gpu());
      else writePlace(stream, place, value.bytes, device.adapter, `%${tensor.name}`);
    }
    for (const number of numbers) {
      const bytes = elementBytes(number.dtype, numberOf(number.number.value));
      writePlace(stream, plan.place(number), bytes, device.adapter, "a number of the program");
    }
  }

  async execute(plan: WebgpuPlan, hooks: RunHooks): Promise<void> {
    plan.guards.clear(this.#parts.stream);
    if (plan.guards.range !== null) this.#unchecked.add(plan);
    await runSteps(plan, this.#parts, hooks);
  }

  async read(
    plan: WebgpuPlan,
    tensors: readonly LoweredTensor[],
    to: "host" | "anywhere",
  ): Promise<readonly TensorData[]> {
    const places = tensors.map((tensor) => plan.place(tensor));
    if (to === "host") return await this.#toHost(places);
    return await Promise.all(places.map((place) => this.#carry(place)));
  }

  async fetch(tensors: readonly TensorData[]): Promise<readonly TensorData[]> {
    const places = tensors.flatMap((tensor) => (isDeviceData(tensor) ? [this.placeOf(tensor)] : []));
    const read = await this.#toHost(places);
    let at = 0;
    return tensors.map((tensor) => (isDeviceData(tensor) ? read[at++]! : tensor));
  }

  drop(tensors: readonly DeviceData[]): void {
    for (const { handle } of tensors) this.#transfers.give((handle as { readonly buffer: GPUBuffer }).buffer);
  }

  release(plan: WebgpuPlan): void {
    this.#unchecked.delete(plan);
    this.#plans.delete(plan);
    this.#pool.release(plan.constants);
    plan.dispose();
  }

  /** Where a tensor on the device is. */
  placeOf({ handle, dtype, shape }: DeviceData): Place {
    const gpu = (handle as { readonly buffer: GPUBuffer }).buffer;
    return placeIn(new OwnBuffer(gpu, gpu.size), dtype, shape);
  }

  /** Fails if data or calls were refused since the last time, which waits for what has run; else nothing waits. */
  async check(): Promise<void> {
    if (this.#unchecked.size > 0) await this.#toHost([]);
    await this.#parts.memory.faults.settle();
  }

  /** What plans say of their work: in each forward as the WGSL by the names of its steps, and before the first one. */
  async explain(): Promise<{ readonly load: string; readonly shaders: ReadonlyMap<string, string> }> {
    const { explainLoad } = await import("./explain-load.ts");
    const plans = [...this.#plans];
    const needed = plans.flatMap((plan) => plan.needed);
    const { text, shaders } = explainLoad(needed, (constant) => this.#pool.workOf(constant), this.#names);
    return { load: text, shaders: new Map([...plans.flatMap((plan) => [...plan.shaders]), ...shaders]) };
  }

  /** The run is over. What it left undone is forgotten. */
  endRun(): void {
    this.#parts.stream.discard();
    this.#parts.stream.signal = undefined;
    this.#parts.memory.faults.forget();
    this.#unchecked.clear();
    this.#transfers.release();
  }

  /** Reads tensors, and with them what guards have to say. */
  async #toHost(places: readonly Place[]): Promise<readonly TensorData[]> {
    const { stream, device } = this.#parts;
    const plans = [...this.#unchecked];
    this.#unchecked.clear();
    return await readPlaces(
      stream,
      places,
      device.adapter,
      plans.map(({ guards }) => guards),
    );
  }

  /** A copy that the plans to come do not overwrite. */
  async #carry(place: Place): Promise<DeviceData> {
    const { stream, device, memory } = this.#parts;
    const { dtype, shape } = place;
    const buffer = this.#transfers.take(bytesOf(dtype, shape, device.adapter));
    if (isCopyable(place, device.adapter)) {
      const span = spanOf(place, device.adapter);
      if (span.size > 0) stream.copy(span, buffer);
    } else {
      const work = new ConstantWork(device, memory);
      new Context(this.#services, work).copy(place, placeIn(new OwnBuffer(buffer, buffer.size), dtype, shape));
      await work.run(stream);
    }
    return { dtype, shape, handle: { buffer } };
  }

  #derive(key: string, bytes: number, label: string, build: (ctx: Context, to: Constant) => void): Constant {
    const { device, memory, stream } = this.#parts;
    return this.#pool.derive(key, bytes, label, (to) => {
      const work = new ConstantWork(device, memory);
      build(new Context(this.#services, work), to);
      return { inputs: work.inputs.filter((input) => input !== to), work: work.work, run: () => work.run(stream) };
    });
  }

  #literal(dtype: DType, shape: readonly number[], data: ArrayBufferView): Constant {
    const { device, stream } = this.#parts;
    const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    const key = `${dtype}[${shape}]=${keyOfBytes(bytes)}`;
    return this.#pool.derive(key, bytesOf(dtype, shape, device.adapter), "constant", (to) => ({
      inputs: [],
      run: async () => writePlace(stream, placeIn(to, dtype, shape), bytes, device.adapter, "a constant"),
    }));
  }
}

function wholeOf({ handle, dtype, shape }: DeviceData, { adapter }: Device): Range {
  const size = Math.ceil(bytesOf(dtype, shape, adapter) / 4) * 4;
  return { buffer: (handle as { readonly buffer: GPUBuffer }).buffer, offset: 0, size };
}

let literals = 0;

/** Equal for equal short bytes; long ones are told apart without being compared. */
function keyOfBytes(bytes: Uint8Array): string {
  return bytes.byteLength <= 64 ? bytes.join() : `literal ${literals++}`;
}
