import { addErrorLocation } from "@pt2/engine";
import type { Pt2Error } from "@pt2/format";
import { unlessAborted } from "@pt2/format";
import { type Call, describeNode } from "@pt2/registry";
import type { Dispatch } from "../shader/dispatch.ts";
import { webgpuError } from "../webgpu-errors.ts";
import type { Device } from "./device.ts";
import { readViews, writeView } from "./host-copy.ts";
import type { Memory } from "./memory.ts";
import type { Pipeline } from "./pipelines.ts";
import type { BoundDispatch, Stream } from "./stream.ts";
import type { WebgpuStep } from "./webgpu-step.ts";

/** Observers of the preparation of work, and what is known of the work. */
export interface ReadyOptions {
  /** Called with the number of shaders that are ready, and of all. */
  readonly onCompiled?: ((done: number, total: number) => void) | undefined;
  /** Returns the calls that a piece of work computes, for errors. */
  readonly callsOf?: (item: WebgpuStep) => readonly Call[];
  /** Ends the wait for the compiler. */
  readonly signal?: AbortSignal | undefined;
}

interface LocatedPipeline extends Pipeline {
  readonly where: string | undefined;
}

/** Planned work with its pipelines compiled and its uniforms on the device; bind groups are made when buffers exist. */
export class ReadySteps {
  readonly work: readonly WebgpuStep[];
  readonly #device: Device;
  readonly #memory: Memory;
  readonly #pipelines: ReadonlyMap<Dispatch, LocatedPipeline>;
  readonly #params: GPUBuffer | null;
  readonly #offsets: ReadonlyMap<Dispatch, number>;
  #bound = new Map<Dispatch, BoundDispatch>();

  private constructor(
    device: Device,
    memory: Memory,
    work: readonly WebgpuStep[],
    pipelines: ReadonlyMap<Dispatch, LocatedPipeline>,
  ) {
    this.#device = device;
    this.#memory = memory;
    this.work = work;
    this.#pipelines = pipelines;
    const { bytes, offsets } = packParams([...pipelines.keys()], device.gpu.limits.minUniformBufferOffsetAlignment);
    this.#offsets = offsets;
    this.#params = bytes.byteLength === 0 ? null : memory.create(bytes.byteLength, "numbers", "uniform");
    if (this.#params !== null) memory.write(this.#params, 0, bytes);
  }

  /** Compiles the shaders that are not compiled yet. */
  static async prepare(
    device: Device,
    memory: Memory,
    work: readonly WebgpuStep[],
    { onCompiled = () => {}, callsOf = () => [], signal }: ReadyOptions = {},
  ): Promise<ReadySteps> {
    const items = work.filter((item) => item.kind === "dispatch");
    let done = 0;
    const compile = async (item: (typeof items)[number]): Promise<readonly [Dispatch, LocatedPipeline]> => {
      try {
        const pipeline = await device.pipelines.get(item.dispatch);
        if (!signal?.aborted) onCompiled(++done, items.length);
        return [item.dispatch, { ...pipeline, where: describeCalls(callsOf(item)) }];
      } catch (error) {
        throw addErrorLocation(error, callsOf(item));
      }
    };
    const compiled = await unlessAborted(Promise.all(items.map(compile)), signal);
    return new ReadySteps(device, memory, work, new Map(compiled));
  }

  /** Makes bind groups for the current buffers. */
  bind(): void {
    this.#bound = new Map();
    for (const [dispatch, { pipeline, layout, where }] of this.#pipelines) {
      const storage = [...dispatch.reads, ...dispatch.writes].map(({ buffer, range }): GPUBufferBinding => {
        const gpu = buffer.handle;
        return range === undefined ? { buffer: gpu } : { buffer: gpu, offset: range.offset, size: range.size };
      });
      const params: GPUBufferBinding[] =
        dispatch.params === null
          ? []
          : [{ buffer: this.#params!, offset: this.#offsets.get(dispatch)!, size: dispatch.params.byteLength }];
      const entries = [...storage, ...params].map((resource, binding) => ({ binding, resource }));
      const { gpu } = this.#device;
      const group = this.#memory.errors.watch(
        "validation",
        () => gpu.createBindGroup({ label: dispatch.name, layout, entries }),
        (message) => refused(dispatch.name, message, where),
      );
      this.#bound.set(dispatch, { pipeline, group, workgroups: dispatch.workgroups });
    }
  }

  bound(dispatch: Dispatch): BoundDispatch {
    return this.#bound.get(dispatch)!;
  }

  /** Records a piece of work on the queue. A host step waits for what it reads. */
  async run(item: WebgpuStep, stream: Stream): Promise<void> {
    if (item.kind === "dispatch") {
      stream.dispatch(this.bound(item.dispatch));
      return;
    }
    const { step } = item;
    const { adapter } = this.#device;
    const results = await step.run(await readViews(stream, step.reads, adapter));
    for (const [i, view] of step.writes.entries())
      writeView(stream, view, results[i]!.bytes, adapter, `the result of ${step.name}`);
  }

  dispose(): void {
    this.#bound.clear();
    if (this.#params !== null) this.#memory.free(this.#params);
  }
}

function describeCalls(calls: readonly Call[]): string | undefined {
  const node = calls.at(-1)?.node;
  return node && describeNode(node);
}

function refused(name: string, message: string, where: string | undefined): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The device refused the buffers of "${name}":\n${message}`,
    where,
    advice: "Report the program: its plan does not fit the device's limits.",
  });
}

/** Packs all uniform blocks into one buffer, equal ones once. */
function packParams(
  dispatches: readonly Dispatch[],
  alignment: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly offsets: ReadonlyMap<Dispatch, number> } {
  const known = new Map<string, number>();
  const offsets = new Map<Dispatch, number>();
  const blocks: { readonly at: number; readonly params: Uint8Array }[] = [];
  let end = 0;
  for (const dispatch of dispatches) {
    const { params } = dispatch;
    if (params === null) continue;
    const key = params.join();
    const at = known.get(key) ?? end;
    offsets.set(dispatch, at);
    if (known.has(key)) continue;
    known.set(key, at);
    blocks.push({ at, params });
    end = Math.ceil((at + params.byteLength) / alignment) * alignment;
  }
  const bytes = new Uint8Array(end);
  for (const { at, params } of blocks) bytes.set(params, at);
  return { bytes, offsets };
}
