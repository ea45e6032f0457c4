import type {
  CompileRequest,
  Executable,
  HostTensor,
  MemoryReport,
  Progress,
  Value,
  WarmupOptions,
} from "@pt2/backend";
import {
  type DeviceData,
  fromRunValue,
  isDeviceData,
  programResults,
  programWeights,
  QueuedExecutable,
  type RunValue,
  readHandlerInitials,
  type SignaledHooks,
  staticInputs,
  toRunValues,
} from "@pt2/engine";
import type { Pt2Error } from "@pt2/format";
import { expectStorages } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { withHelpers } from "../wgsl/with-helpers.ts";
import { createEngine, type ExecutableOptions, type Model } from "./create-engine.ts";
import { type Device, deviceLost, whyFailed } from "./device.ts";
import { DeviceTensor } from "./device-tensor.ts";
import type { WebgpuEngine } from "./engine.ts";
import { bytesOf } from "./tensor-view.ts";

type Hooks = SignaledHooks<AbortSignal>;

/** A program on the GPU. */
export class WebgpuExecutable extends QueuedExecutable<Model, AbortSignal> implements Executable {
  readonly #request: CompileRequest;
  readonly #options: ExecutableOptions;

  private constructor(model: Model, request: CompileRequest, options: ExecutableOptions) {
    super(model, disposed);
    this.#request = request;
    this.#options = options;
  }

  /** Plans the program for its exported shapes when they are static, compiles its shaders and uploads the weights. */
  static async create(request: CompileRequest, options: ExecutableOptions): Promise<WebgpuExecutable> {
    const model = await createModel(request, options, options.devices.current);
    return new WebgpuExecutable(model, request, options);
  }

  /**
   * Builds everything again on a new device, from the file, after the device was lost. Buffers that runs had written
   * start with the file's values again. Does nothing while the device works.
   */
  async recover(): Promise<void> {
    await this.queue.run(async () => {
      const { devices } = this.#options;
      if (this.model.device.lost === null) return;
      // Progress and abort belonged to the first load.
      const { program, weights, registry, precision } = this.#request;
      const again = { program, weights, registry, ...(precision === undefined ? {} : { precision }) };
      const model = await createModel(again, this.#options, await devices.renew());
      this.model.memory.dispose();
      this.replaceModel(model);
    });
  }

  warmup(inputs: readonly Value[], { signal, onProgress }: WarmupOptions = {}): Promise<void> {
    return this.queue.run(async () => {
      const { runner, engine, weights } = this.model;
      engine.onCompiled = onProgress && compiling(onProgress);
      try {
        await this.#during({ signal }, async () => {
          await runner.prepare(this.#given(inputs), weights.bound);
          await engine.check();
        });
      } finally {
        engine.onCompiled = undefined;
      }
    }, signal);
  }

  readState(targets: readonly string[]): Promise<ReadonlyMap<string, HostTensor>> {
    return this.queue.run(() =>
      this.#during({}, async () => {
        const { engine, weights } = this.model;
        const found = targets.flatMap((target) => {
          const view = weights.mutable.get(target);
          return view === undefined ? [] : [{ target, view }];
        });
        const values = await engine.readViews(found.map(({ view }) => view));
        return new Map(found.map(({ target }, i) => [target, fromRunValue(values[i]!) as HostTensor]));
      }),
    );
  }

  async memory(): Promise<MemoryReport> {
    const { engine, memory } = this.model;
    const activations = engine.activationBytes;
    return { weights: memory.reserved - activations, activations, reserved: memory.reserved };
  }

  async explain(): Promise<string> {
    const { runner, engine } = this.model;
    const { load, shaders } = await engine.explain();
    const shown = async ([name, wgsl]: readonly [string, string]): Promise<string> =>
      `// ${name}\n${(await withHelpers(wgsl)).trimEnd()}`;
    const texts = await Promise.all([...shaders].map(shown));
    return [runner.explain(), load, ...texts].filter((part) => part !== "").join("\n\n");
  }

  protected override async release(model: Model | null): Promise<void> {
    model?.memory.dispose();
    await this.#options.onDispose();
  }

  protected override forward(inputs: readonly Value[], hooks: Hooks): Promise<readonly Value[]> {
    const { program, runner, engine, weights, stream } = this.model;
    return this.#during(hooks, async () => {
      const { outputs, writes } = programResults(
        program,
        await runner.run(this.#given(inputs), weights.bound, hooks),
        weights.mutable,
      );
      const results = await this.#deliver(outputs);
      // Buffers are written when every result is there, because a run that fails changes no buffer.
      engine.store(writes, weights.mutable);
      stream.submit();
      return results;
    });
  }

  /** Runs a call's work on the device, and cleans up after it. */
  async #during<T>({ signal }: Hooks, work: () => Promise<T>): Promise<T> {
    const { engine, stream, device } = this.model;
    if (device.lost !== null) throw deviceLost(device.lost);
    stream.signal = signal;
    try {
      return await work();
    } catch (error) {
      throw await whyFailed(error, device);
    } finally {
      engine.endRun();
    }
  }

  /** Converts inputs to what runs take: those on this device stay there. */
  #given(inputs: readonly Value[]): readonly RunValue[] {
    const { program, device } = this.model;
    const accept = (tensor: Value): DeviceData | null =>
      tensor instanceof DeviceTensor && tensor.on === device
        ? { dtype: tensor.dtype, shape: tensor.shape, handle: { buffer: tensor.buffer } }
        : null;
    return toRunValues(program, inputs, { name: "webgpu", accept });
  }

  async #deliver(outputs: readonly RunValue[]): Promise<readonly Value[]> {
    const { engine, stream, device, memory } = this.model;
    if (this.#options.outputs === "host") {
      const tensors = await engine.fetch(outputs.filter((value) => isDeviceData(value)));
      await engine.check();
      let at = 0;
      return outputs.map((value) => fromRunValue(isDeviceData(value) ? tensors[at++]! : value));
    }
    const copies: { readonly from: DeviceData; readonly to: DeviceTensor }[] = [];
    const results = outputs.map((value) =>
      fromRunValue(value, (from) => {
        const to = DeviceTensor.allocate(device, from.dtype, from.shape, memory.errors);
        copies.push({ from, to });
        return to;
      }),
    );
    try {
      await engine.check();
    } catch (error) {
      for (const { to } of copies) to.dispose();
      throw error;
    }
    for (const { from, to } of copies) {
      const size = Math.ceil(bytesOf(from.dtype, from.shape, device.adapter) / 4) * 4;
      const { buffer } = from.handle as { readonly buffer: GPUBuffer };
      if (size > 0) stream.copy({ buffer, offset: 0, size }, to.buffer);
    }
    return results;
  }
}

async function createModel(request: CompileRequest, options: ExecutableOptions, device: Device): Promise<Model> {
  const { program, weights, registry, signal, onProgress } = request;
  const model = createEngine(
    request,
    { ...options, device },
    await readHandlerInitials(program, weights, registry, signal),
  );
  const { engine, stream } = model;
  stream.signal = signal;
  engine.onCompiled = onProgress && compiling(onProgress);
  const inputs = staticInputs(program);
  // Without a plan nothing is read yet but what runs may write.
  const coming = programWeights(program, weights).filter(({ written }) => written || inputs !== null);
  const enough = expectStorages(
    coming.map(({ weight }) => weight.storage),
    signal,
  );
  try {
    const initialize = (): Promise<void> => model.weights.initialize();
    if (inputs === null) await initialize();
    else await model.runner.prepare(inputs, model.weights.bound, initialize);
    await engine.check();
    signal?.throwIfAborted();
    return model;
  } catch (error) {
    model.memory.dispose();
    throw await whyFailed(error, device);
  } finally {
    enough();
    // Runs have signals of their own, and only a warm-up waits for shaders.
    stream.signal = undefined;
    engine.onCompiled = undefined;
  }
}

function disposed(): Pt2Error {
  return webgpuError("webgpu.disposed", {
    what: "The model was disposed",
    advice: "Load it again, or dispose it later.",
  });
}

function compiling(onProgress: (progress: Progress) => void): WebgpuEngine["onCompiled"] {
  return (done, total) => onProgress({ stage: "compile", done, total });
}
