import type { CompileRequest } from "@pt2/backend";
import {
  bindWeights,
  GraphRunner,
  type HandlerInitials,
  type KernelParts,
  type ProgramState,
  type RandomState,
} from "@pt2/engine";
import type { Program } from "@pt2/graph";
import type { Device, DeviceSource } from "./device.ts";
import { WebgpuEngine } from "./engine.ts";
import type { WebgpuKernel, WebgpuTypes } from "./kernel.ts";
import { Memory } from "./memory.ts";
import type { WebgpuPlan } from "./plan.ts";
import { Stream } from "./stream.ts";
import type { TensorView } from "./tensor-view.ts";
import { WebgpuDevice } from "./webgpu-device.ts";
import { WeightRecords } from "./weight-records.ts";

/** The options of an executable, besides the request. */
export interface ExecutableOptions {
  readonly devices: DeviceSource;
  /** The backend's own kernels. */
  readonly kernels: KernelParts<WebgpuKernel>;
  /** Where user outputs are: on the host, or on the device until they are read. */
  readonly outputs: "host" | "device";
  /** What executables of the backend draw random numbers from. */
  readonly random: RandomState;
  readonly onDispose: () => Promise<void>;
}

/** What a program runs with. */
export interface Model {
  readonly program: Program;
  readonly device: Device;
  readonly memory: Memory;
  readonly stream: Stream;
  readonly engine: WebgpuEngine;
  readonly weights: ProgramState<GPUBuffer>;
  readonly runner: GraphRunner<TensorView, WebgpuPlan>;
}

interface EngineOptions extends Pick<ExecutableOptions, "kernels" | "random"> {
  readonly device: Device;
}

/** Makes everything that one executable works with. */
export function createEngine(
  { program, weights, registry, onProgress, precision }: CompileRequest,
  { device, kernels: own, random }: EngineOptions,
  initials: HandlerInitials,
): Model {
  const memory = new Memory(device.gpu);
  const stream = new Stream(device.gpu, memory);
  let read = 0;
  const records = new WeightRecords(
    device,
    memory,
    (bytes) => {
      read += bytes;
      onProgress?.({ stage: "weights", done: read, total: state.bytes });
    },
    () => stream.signal,
  );
  const kernels = own.for(registry, "webgpu");
  const plans = new WebgpuDevice({
    gpu: device,
    memory,
    stream,
    kernels,
    exact: precision === "exact",
    random,
    expect: (coming) => records.expect(coming),
  });
  const storage = {
    record: records.of.bind(records),
    allocate: (bytes: number, label: string) => memory.create(bytes, label),
    signal: () => stream.signal,
  };
  const state = bindWeights<WebgpuTypes>(program, weights, storage, plans);
  const engine = new WebgpuEngine({
    device,
    plans,
    memory,
    stream,
    lowerOptions: {
      registry,
      target: kernels.target(device.gpu.limits.maxBufferSize),
      handlerContext: (node) => ({ backend: "webgpu", initial: (arg) => initials.get(node)?.get(arg) }),
    },
  });
  return { program, device, memory, stream, engine, weights: state, runner: new GraphRunner(program.graph, engine) };
}
