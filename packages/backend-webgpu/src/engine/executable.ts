import type {
  CompileRequest,
  Executable,
  MemoryReport,
  Profile,
  Progress,
  RunOptions,
  Value,
  WarmupOptions,
} from "@pt2/backend";
import {
  type DeviceData,
  fromRunValue,
  isDeviceData,
  profiled,
  programResults,
  programWeights,
  type RunHooks,
  type RunValue,
  readHandlerInitials,
  staticInputs,
  toRunValues,
} from "@pt2/engine";
import { RunQueue } from "@pt2/engine/run-queue";
import type { Pt2Error } from "@pt2/format";
import { expectStorages } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { createEngine, type ExecutableOptions, type Model } from "./create-engine.ts";
import { type Device, deviceLost, whyFailed } from "./device.ts";
import { DeviceTensor } from "./device-tensor.ts";
import type { WebgpuEngine } from "./engine.ts";
import { bytesOf } from "./tensor-view.ts";

/** Hooks of a run whose signal can be waited for. */
interface Hooks extends RunHooks {
  readonly signal?: AbortSignal | undefined;
}

/** A program on the GPU. */
export class WebgpuExecutable implements Executable {
  #model: Model | null;
  readonly #request: CompileRequest;
  readonly #options: ExecutableOptions;
  readonly #queue = new RunQueue(disposed);

  private constructor(model: Model, request: CompileRequest, options: ExecutableOptions) {
    this.#model = model;
    this.#request = request;
    this.#options = options;
  }

  /** Plans the program for its exported shapes when they are static, compiles its shaders and uploads the weights. */
  static async create(request: CompileRequest, options: ExecutableOptions): Promise<WebgpuExecutable> {
    const model = await createModel(request, options, options.devices.current);
    return new WebgpuExecutable(model, request, options);
  }

  /**
   * After the device was lost: builds everything again on a new one, from the file. Buffers that runs had written begin
   * with the file's values. Does nothing while the device works.
   */
  async recover(): Promise<void> {
    await this.#queue.run(async () => {
      const { devices } = this.#options;
      if (this.#live().device.lost === null) return;
      // Progress and abort were those of the first load.
      const { program, weights, registry, precision } = this.#request;
      const again = { program, weights, registry, ...(precision === undefined ? {} : { precision }) };
      const model = await createModel(again, this.#options, await devices.renew());
      this.#live().memory.dispose();
      this.#model = model;
    });
  }

  run(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<readonly Value[]> {
    return this.#queue.run(() => this.#forward(inputs, { signal }), signal);
  }

  profile(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<Profile> {
    return this.#queue.run(() => profiled((observe) => this.#forward(inputs, { observe, signal })), signal);
  }

  warmup(inputs: readonly Value[], { signal, onProgress }: WarmupOptions = {}): Promise<void> {
    return this.#queue.run(async () => {
      const { runner, engine, weights } = this.#live();
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

  async memory(): Promise<MemoryReport> {
    const { engine, memory } = this.#live();
    const activations = engine.activationBytes;
    return { weights: memory.reserved - activations, activations, reserved: memory.reserved };
  }

  async explain(): Promise<string> {
    const { runner, engine } = this.#live();
    const { load, shaders } = await engine.explain();
    const texts = [...shaders].map(([name, wgsl]) => `// ${name}\n${wgsl.trimEnd()}`);
    return [runner.explain(), load, ...texts].filter((part) => part !== "").join("\n\n");
  }

  async dispose(): Promise<void> {
    await this.#queue.close();
    this.#model?.memory.dispose();
    this.#model = null;
    await this.#options.onDispose();
  }

  #live(): Model {
    if (this.#model === null) throw disposed();
    return this.#model;
  }

  #forward(inputs: readonly Value[], hooks: Hooks): Promise<readonly Value[]> {
    const { program, runner, engine, weights, stream } = this.#live();
    return this.#during(hooks, async () => {
      const { outputs, writes } = programResults(
        program,
        await runner.run(this.#given(inputs), weights.bound, hooks),
        weights.mutable,
      );
      const results = await this.#deliver(outputs);
      // Only now that every result is there: a run that fails changes no buffer.
      for (const { target, data } of writes) engine.store(weights.mutable.get(target)!, data as DeviceData);
      stream.submit();
      return results;
    });
  }

  /** What a call does on the device, with what is to be left behind it. */
  async #during<T>({ signal }: Hooks, work: () => Promise<T>): Promise<T> {
    const { engine, stream, device } = this.#live();
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

  /** Inputs as runs take them: those on this device stay there. */
  #given(inputs: readonly Value[]): readonly RunValue[] {
    const { program, device } = this.#live();
    const accept = (tensor: Value): DeviceData | null =>
      tensor instanceof DeviceTensor && tensor.on === device
        ? { dtype: tensor.dtype, shape: tensor.shape, handle: { buffer: tensor.buffer } }
        : null;
    return toRunValues(program, inputs, { name: "webgpu", accept });
  }

  async #deliver(outputs: readonly RunValue[]): Promise<readonly Value[]> {
    const { engine, stream, device, memory } = this.#live();
    if (this.#options.outputs === "host") {
      const tensors = await engine.fetch(outputs.filter((value) => isDeviceData(value)));
      await engine.check();
      let at = 0;
      return outputs.map((value) => fromRunValue(isDeviceData(value) ? tensors[at++]! : value));
    }
    const copies: { readonly from: DeviceData; readonly to: DeviceTensor }[] = [];
    const results = outputs.map((value) =>
      fromRunValue(value, (from) => {
        const to = DeviceTensor.allocate(device, from.dtype, from.shape, memory.faults);
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
    const initialise = (): Promise<void> => model.weights.initialise();
    if (inputs === null) await initialise();
    else await model.runner.prepare(inputs, model.weights.bound, initialise);
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
