import type { BufferUpdate, Constant, DeviceBuffer, PlannedStep, StagePlan } from "@pt2/engine";
import type { Call, LoweredTensor } from "@pt2/registry";
import type { BufferSlots } from "./buffer-slots.ts";
import type { Device } from "./device.ts";
import type { GuardWords } from "./guard-words.ts";
import type { WebgpuStage, WebgpuTypes } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import { type ReadyOptions, ReadySteps } from "./ready-steps.ts";
import type { ShaderNames } from "./shader-names.ts";
import type { Stream } from "./stream.ts";
import type { TensorView } from "./tensor-view.ts";
import type { WebgpuStep } from "./webgpu-step.ts";

/** A tensor that plans read and no run writes, and the node that was the first to need it. */
export interface NeededConstant {
  readonly constant: Constant<GPUBuffer>;
  readonly node: string;
}

/** A planned stage with its shaders compiled. */
export class WebgpuPlan implements StagePlan<TensorView> {
  readonly steps: readonly (PlannedStep<WebgpuTypes> & { readonly by: string })[];
  readonly ready: ReadySteps;
  /** What changes a part of a buffer, by the buffer's copy. */
  readonly updates: ReadonlyMap<DeviceBuffer<GPUBuffer>, BufferUpdate<WebgpuTypes>>;
  readonly #stage: WebgpuStage;
  readonly #names: ShaderNames;
  readonly #memory: Memory;
  #generation = -1;

  private constructor(names: ShaderNames, stage: WebgpuStage, ready: ReadySteps, memory: Memory) {
    const nameOf = (work: WebgpuStep): string => describeStep(work, names);
    this.#stage = stage;
    this.steps = stage.steps.map((step) => ({ ...step, by: step.work.map(nameOf).join(", ") }));
    this.ready = ready;
    this.updates = new Map(stage.updates?.map((update) => [update.copy, update]));
    this.#names = names;
    this.#memory = memory;
  }

  static async make(
    device: Device,
    memory: Memory,
    stage: WebgpuStage,
    { names, ...options }: Pick<ReadyOptions, "onCompiled" | "signal"> & { readonly names: ShaderNames },
  ): Promise<WebgpuPlan> {
    const updating = (stage.updates ?? []).flatMap(({ refresh, commit }) => [...refresh, ...commit]);
    const work = [...stage.steps.flatMap((step) => step.work), ...updating];
    const steps = new Map(stage.steps.flatMap((step) => step.work.map((item) => [item, step] as const)));
    const callsOf = (item: WebgpuStep): readonly Call[] => steps.get(item)?.calls ?? [];
    const ready = await ReadySteps.prepare(device, memory, work, { ...options, callsOf });
    stage.notes.allocate(memory);
    return new WebgpuPlan(names, stage, ready, memory);
  }

  /** The WGSL that runs, by the names of its steps. */
  get shaders(): ReadonlyMap<string, string> {
    const dispatches = this.ready.work.flatMap((item) => (item.kind === "dispatch" ? [item.dispatch] : []));
    return new Map(dispatches.map((dispatch) => [this.#names.of(dispatch), dispatch.code]));
  }

  get constants(): readonly Constant<GPUBuffer>[] {
    return [...this.#stage.constants.keys()];
  }

  /** The constants, each with the node that was the first to need it. */
  get needed(): readonly NeededConstant[] {
    return [...this.#stage.constants].map(([constant, calls]) => ({ constant, node: calls.at(-1)?.node.name ?? "" }));
  }

  get guards(): GuardWords {
    return this.#stage.notes;
  }

  /** The slot after the last that this plan uses; plans that follow while its tensors are needed start there. */
  get slotEnd(): number {
    const { start, sizes } = this.#stage.layout;
    return start + sizes.length;
  }

  get summary(): string {
    const { sizes } = this.#stage.layout;
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const dispatches = this.ready.work.filter(({ kind }) => kind === "dispatch").length;
    return `${bytes} bytes in ${sizes.length} buffers, ${dispatches} dispatches`;
  }

  get records(): WebgpuStage["records"] {
    return this.#stage.records;
  }

  view(tensor: LoweredTensor): TensorView {
    return this.#stage.views.get(tensor)!;
  }

  /** Makes sure that its buffers exist and its bind groups refer to them; returns whether some were made anew. */
  bind(slots: BufferSlots, stream: Stream): boolean {
    const { start, sizes } = this.#stage.layout;
    slots.reserve(start, sizes, () => stream.submit());
    if (this.#generation === slots.generation) return false;
    this.ready.bind();
    this.#generation = slots.generation;
    return true;
  }

  dispose(): void {
    this.ready.dispose();
    this.guards.free(this.#memory);
  }
}

/** Describes what runs a piece of work: a shader by its name, or a function on the host. */
export function describeStep(work: WebgpuStep, names: ShaderNames): string {
  return work.kind === "host" ? `${work.step.name} on the host` : names.of(work.dispatch);
}
