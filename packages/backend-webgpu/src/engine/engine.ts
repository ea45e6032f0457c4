import {
  type Awaitable,
  addErrorLocation,
  ConstantWork,
  DedicatedBuffer,
  type DeviceData,
  elementBytes,
  isDeviceData,
  numberOf,
  planAgain,
  planStage,
  type RepeatRequest,
  type RunHooks,
  type StageEngine,
  type StageRequest,
  type TensorData,
  viewOf,
} from "@pt2/engine";
import { Pt2Error } from "@pt2/format";
import type { LoweredTensor, LowerOptions, RuntimeScalar } from "@pt2/registry";
import type { Device } from "./device.ts";
import { readViews, spanOf } from "./host-copy.ts";
import type { WebgpuStage } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import { WebgpuPlan } from "./plan.ts";
import { runSteps } from "./run-steps.ts";
import { ShaderNames } from "./shader-names.ts";
import type { Range, Stream } from "./stream.ts";
import { type Buffer, bytesOf, isCopyable, type TensorView } from "./tensor-view.ts";
import { Transfers } from "./transfers.ts";
import type { WebgpuDevice } from "./webgpu-device.ts";
import type { WebgpuStep } from "./webgpu-step.ts";

/** The parts of an engine. */
export interface EngineParts {
  readonly device: Device;
  readonly plans: WebgpuDevice;
  readonly memory: Memory;
  readonly stream: Stream;
  readonly lowerOptions: LowerOptions;
}

/** The buffers of the module that runs write, by target. */
type Buffers = ReadonlyMap<string, TensorView>;

/** Plans and runs stages on a device. */
export class WebgpuEngine implements StageEngine<TensorView, WebgpuPlan> {
  readonly lowerOptions: LowerOptions;
  /** Called with how many shaders of a plan are compiled, and of how many. */
  onCompiled: ((done: number, total: number) => void) | undefined;
  readonly #parts: EngineParts;
  readonly #transfers: Transfers;
  readonly #names = new ShaderNames();
  readonly #plans = new Set<WebgpuPlan>();
  /** The plan whose copies of buffers are as the buffers. */
  #fresh: WebgpuPlan | null = null;
  /** The plan that was run last. */
  #executed: WebgpuPlan | null = null;
  /** Plans whose guards have not been checked since they ran. */
  readonly #unchecked = new Set<WebgpuPlan>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.lowerOptions = parts.lowerOptions;
    this.#transfers = new Transfers(parts.memory);
  }

  /** The bytes of the buffers that runs work in. */
  get activationBytes(): number {
    return this.#parts.plans.memory.bytes;
  }

  async plan(request: StageRequest<TensorView, WebgpuPlan>): Promise<WebgpuPlan> {
    this.#fresh = null;
    return await this.#ready(await planStage(request, this.#parts.plans));
  }

  async repeat({ records }: WebgpuPlan, request: RepeatRequest<TensorView>): Promise<WebgpuPlan | null> {
    // Plans that share a layout may move each other's memory.
    this.#fresh = null;
    const stage = await planAgain(records!, request, this.#parts.plans);
    return stage && (await this.#ready(stage));
  }

  /** Brings what a stage reads into memory, and compiles its shaders. */
  async #ready(stage: WebgpuStage): Promise<WebgpuPlan> {
    const { device, plans, memory, stream } = this.#parts;
    const { onCompiled } = this;
    const { signal } = stream;
    const constants = [...stage.constants.keys()];
    await plans.constants.load(constants, {
      onLoaded: () => signal?.throwIfAborted(),
      // An error about a weight that cannot be read has its own place already.
      explain: (error, constant) =>
        error instanceof Pt2Error ? addErrorLocation(error, stage.constants.get(constant)!) : error,
    });
    let plan: WebgpuPlan | undefined;
    try {
      plan = await WebgpuPlan.make(device, memory, stage, { names: this.#names, onCompiled, signal });
      // A plan without memory is not kept.
      await memory.errors.check();
      this.#plans.add(plan);
      return plan;
    } catch (error) {
      plan?.dispose();
      plans.constants.release(constants);
      throw error;
    }
  }

  write(
    plan: WebgpuPlan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RuntimeScalar[],
  ): void {
    const { stream, device, plans } = this.#parts;
    // Buffers that were made anew have lost what they held.
    if (plan.bind(plans.memory, stream) || this.#fresh !== plan) this.#fresh = null;
    for (const [i, tensor] of tensors.entries()) {
      const view = plan.view(tensor);
      const value = values[i]!;
      if (isDeviceData(value)) stream.copy(wholeOf(value, device), view.buffer.handle);
      else plans.write(view, value.bytes, `%${tensor.name}`);
    }
    for (const number of numbers) {
      const bytes = elementBytes(number.dtype, numberOf(number.number.value));
      plans.write(plan.view(number), bytes, "a number of the program");
    }
  }

  async execute(plan: WebgpuPlan, hooks: RunHooks): Promise<void> {
    plan.guards.clear(this.#parts.stream);
    if (plan.guards.range !== null) this.#unchecked.add(plan);
    if (this.#fresh !== plan) for (const { refresh } of plan.updates.values()) this.#dispatch(plan, refresh);
    this.#fresh = null;
    this.#executed = plan;
    await runSteps(plan, this.#parts, hooks);
  }

  #dispatch({ ready }: WebgpuPlan, work: readonly WebgpuStep[]): void {
    const { stream } = this.#parts;
    for (const item of work) if (item.kind === "dispatch") stream.dispatch(ready.bound(item.dispatch));
  }

  async read(
    plan: WebgpuPlan,
    tensors: readonly LoweredTensor[],
    to: "host" | "anywhere",
  ): Promise<readonly TensorData[]> {
    const views = tensors.map((tensor) => plan.view(tensor));
    if (to === "host") return await this.#toHost(views);
    return await Promise.all(
      views.map((view): Awaitable<TensorData> => {
        // The copy of a buffer stays as it is until the next run.
        const isCopy = plan === this.#executed && plan.updates.has(view.buffer);
        return isCopy ? { ...view, handle: { buffer: view.buffer.handle, copy: view.buffer } } : this.#carry(view);
      }),
    );
  }

  async fetch(tensors: readonly TensorData[]): Promise<readonly TensorData[]> {
    const views = tensors.flatMap((tensor) => (isDeviceData(tensor) ? [this.deviceView(tensor)] : []));
    const read = await this.#toHost(views);
    let at = 0;
    return tensors.map((tensor) => (isDeviceData(tensor) ? read[at++]! : tensor));
  }

  drop(tensors: readonly DeviceData[]): void {
    for (const { handle } of tensors) this.#transfers.give((handle as { readonly buffer: GPUBuffer }).buffer);
  }

  release(plan: WebgpuPlan): void {
    if (this.#fresh === plan) this.#fresh = null;
    if (this.#executed === plan) this.#executed = null;
    this.#unchecked.delete(plan);
    this.#plans.delete(plan);
    this.#parts.plans.constants.release(plan.constants);
    plan.dispose();
  }

  /** Reads what runs write. */
  async readViews(views: readonly TensorView[]): Promise<readonly TensorData[]> {
    return await this.#toHost(views);
  }

  /**
   * Puts results into the buffers that a run writes. Those of which it writes a part are changed as the run has changed their
   * copies, when all others are stored, and in the order of the plan: what one reads may lie where the next one computes.
   */
  store(writes: readonly { readonly target: string; readonly data: TensorData }[], buffers: Buffers): void {
    const plan = this.#executed;
    for (const { target, data } of writes) {
      const to = buffers.get(target)!.buffer;
      const { copy } = (data as DeviceData).handle as { readonly copy?: Buffer };
      if (copy !== undefined && plan?.updates.get(copy)?.buffer === to) continue;
      const whole = wholeOf(data as DeviceData, this.#parts.device);
      if (whole.size > 0) this.#parts.stream.copy(whole, to.handle);
    }
    if (plan !== null) for (const { commit } of plan.updates.values()) this.#dispatch(plan, commit);
    this.#fresh = plan;
  }

  /** Returns the view of a tensor on the device. */
  deviceView({ handle, dtype, shape }: DeviceData): TensorView {
    const gpu = (handle as { readonly buffer: GPUBuffer }).buffer;
    return viewOf(new DedicatedBuffer(gpu, gpu.size), { dtype, shape });
  }

  /**
   * Fails if data or calls were refused since the last check. If there is something to check it waits for what has run.
   */
  async check(): Promise<void> {
    if (this.#unchecked.size > 0) await this.#toHost([]);
    await this.#parts.memory.errors.check();
  }

  /**
   * Explains the work of plans: the work before the first forward, and the WGSL of each forward by the names of its
   * steps.
   */
  async explain(): Promise<{ readonly load: string; readonly shaders: ReadonlyMap<string, string> }> {
    const { explainLoad } = await import("./explain-load.ts");
    const plans = [...this.#plans];
    const needed = plans.flatMap((plan) => plan.needed);
    const { text, shaders } = explainLoad(needed, this.#parts.plans.constants, this.#names);
    return { load: text, shaders: new Map([...plans.flatMap((plan) => [...plan.shaders]), ...shaders]) };
  }

  /** Ends a run, and drops what it left undone. */
  endRun(): void {
    this.#parts.stream.discard();
    this.#parts.stream.signal = undefined;
    this.#parts.memory.errors.drop();
    this.#unchecked.clear();
    this.#transfers.release();
  }

  /** Reads tensors, and with them the words of guards. */
  async #toHost(views: readonly TensorView[]): Promise<readonly TensorData[]> {
    const { stream, device } = this.#parts;
    const plans = [...this.#unchecked];
    this.#unchecked.clear();
    return await readViews(
      stream,
      views,
      device.adapter,
      plans.map(({ guards }) => guards),
    );
  }

  /** Copies a tensor to a buffer that the plans to come do not overwrite. */
  async #carry(view: TensorView): Promise<DeviceData> {
    const { stream, device, plans } = this.#parts;
    const { dtype, shape } = view;
    const buffer = this.#transfers.take(bytesOf(dtype, shape, device.adapter));
    if (isCopyable(view, device.adapter)) {
      const span = spanOf(view, device.adapter);
      if (span.size > 0) stream.copy(span, buffer);
    } else {
      const work = new ConstantWork(plans);
      plans.context(work).copy(view, viewOf(new DedicatedBuffer(buffer, buffer.size), { dtype, shape }));
      await work.run();
    }
    return { dtype, shape, handle: { buffer } };
  }
}

function wholeOf({ handle, dtype, shape }: DeviceData, { adapter }: Device): Range {
  const size = Math.ceil(bytesOf(dtype, shape, adapter) / 4) * 4;
  return { buffer: (handle as { readonly buffer: GPUBuffer }).buffer, offset: 0, size };
}
