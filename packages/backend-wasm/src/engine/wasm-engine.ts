import type { Cancellation } from "@pt2/backend";
import {
  addErrorLocation,
  type BufferUpdate,
  type DeviceBuffer,
  type DeviceData,
  elementBytes,
  type HostData,
  numberOf,
  type PlannedStep,
  planAgain,
  planStage,
  type RepeatRequest,
  type RunHooks,
  type StageEngine,
  type StagePlan,
  type StageRequest,
  type TensorData,
} from "@pt2/engine";
import type { LoweredTensor, LowerOptions, RuntimeScalar } from "@pt2/registry";
import { readView } from "./host-copy.ts";
import type { WasmStage, WasmTypes } from "./kernel.ts";
import type { TensorView } from "./tensor-view.ts";
import type { WasmDevice } from "./wasm-device.ts";

/** A stage in the memory of its executable. */
export class WasmPlan implements StagePlan<TensorView> {
  readonly stage: WasmStage;
  /** What changes a part of a buffer, by the buffer's copy. */
  readonly updates: ReadonlyMap<DeviceBuffer<number>, BufferUpdate<WasmTypes>>;

  constructor(stage: WasmStage) {
    this.stage = stage;
    this.updates = new Map(stage.updates?.map((update) => [update.copy, update]));
  }

  get steps(): readonly PlannedStep<WasmTypes>[] {
    return this.stage.steps;
  }

  /** The end of the arena that this stage and those before it use. */
  get arenaEnd(): number {
    return this.stage.layout.end;
  }

  get summary(): string {
    return `arena ${this.arenaEnd} bytes, ${this.steps.length} steps`;
  }

  get records(): WasmStage["records"] {
    return this.stage.records;
  }

  view(tensor: LoweredTensor): TensorView {
    return this.stage.views.get(tensor)!;
  }
}

/** Runs stages in one WebAssembly memory. Plans share an arena, in which each begins where those before it end. */
export class WasmEngine implements StageEngine<TensorView, WasmPlan> {
  readonly lowerOptions: LowerOptions;
  readonly device: WasmDevice;
  readonly #cancellation: Cancellation | undefined;
  /** The plan that was run last, until another one is. */
  #executed: WasmPlan | null = null;
  /** The plan whose copies of buffers are as the buffers. */
  #fresh: WasmPlan | null = null;

  /** Creates an engine. `cancellation` ends the load of constants. */
  constructor(device: WasmDevice, lowerOptions: LowerOptions, cancellation?: Cancellation) {
    this.device = device;
    this.lowerOptions = lowerOptions;
    this.#cancellation = cancellation;
  }

  async plan(request: StageRequest<TensorView, WasmPlan>): Promise<WasmPlan> {
    this.#fresh = null;
    // In a worker, the view rule of a user's own op may have to be evaluated on the calling thread.
    return await this.#ready(await planStage(request, this.device));
  }

  async repeat({ records }: WasmPlan, request: RepeatRequest<TensorView>): Promise<WasmPlan | null> {
    // Plans that share a layout may move each other's memory.
    this.#fresh = null;
    const stage = await planAgain(records!, request, this.device);
    return stage && (await this.#ready(stage));
  }

  /** Brings what a stage reads into memory. */
  async #ready(stage: WasmStage): Promise<WasmPlan> {
    await this.device.constants.load([...stage.constants.keys()], {
      onLoaded: () => this.#cancellation?.throwIfAborted(),
      // An abort is rethrown unchanged, and so is a failure to read.
      explain: (error) => (error instanceof WebAssembly.RuntimeError ? addErrorLocation(error, []) : error),
    });
    return new WasmPlan(stage);
  }

  write(
    plan: WasmPlan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RuntimeScalar[],
  ): void {
    const { constants, memory, team } = this.device;
    this.#executed = null;
    if (this.#fresh !== plan) this.#fresh = null;
    team.begin(plan);
    constants.finish();
    memory.reserve(plan.arenaEnd, memory.bytes);
    for (let i = 0; i < tensors.length; i++) {
      this.device.write(plan.view(tensors[i]!), (values[i] as HostData).bytes);
    }
    for (const number of numbers) {
      this.device.write(plan.view(number), elementBytes(number.dtype, numberOf(number.number.value)));
    }
  }

  execute(plan: WasmPlan, { observe, signal }: RunHooks): void {
    this.device.team.run(() => {
      if (this.#fresh === null) for (const { refresh } of plan.updates.values()) for (const run of refresh) run();
      this.#fresh = null;
      for (const { work, calls } of plan.steps) {
        signal?.throwIfAborted();
        const start = observe === undefined ? 0 : performance.now();
        try {
          for (const run of work) run();
        } catch (error) {
          throw addErrorLocation(error, calls);
        }
        observe?.(calls, start, performance.now() - start);
      }
    });
    this.#executed = plan;
  }

  /** Whether a result lies in the copy of the buffer that it replaces, which `commit` then changes as the run has changed the copy. */
  isUpdate({ buffer }: TensorView, to: TensorView): boolean {
    return this.#executed?.updates.get(buffer)?.buffer === to.buffer;
  }

  /**
   * Changes buffers as the run has changed their copies, when all other results are stored. The order is that of the plan: what
   * one reads may lie where the next one computes.
   */
  commit(): void {
    for (const { commit } of this.#executed?.updates.values() ?? []) for (const run of commit) run();
    this.#fresh = this.#executed;
  }

  read(plan: WasmPlan, tensors: readonly LoweredTensor[]): readonly HostData[] {
    const { heap } = this.device;
    return tensors.map((tensor) => ({
      dtype: tensor.dtype,
      shape: tensor.shape,
      bytes: readView(heap, plan.view(tensor)),
    }));
  }

  locate(plan: WasmPlan, tensors: readonly LoweredTensor[]): readonly DeviceData[] {
    return tensors.map((tensor) => {
      const view = plan.view(tensor);
      return { dtype: tensor.dtype, shape: tensor.shape, handle: view };
    });
  }

  isConstant({ buffer }: TensorView): boolean {
    return buffer.constant !== null;
  }

  release({ stage }: WasmPlan): void {
    this.device.constants.release([...stage.constants.keys()]);
  }
}
