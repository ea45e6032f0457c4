import type { Dispatch } from "../shader/dispatch.ts";
import { webgpuError } from "../webgpu-errors.ts";
import { withHelpers } from "../wgsl/with-helpers.ts";

/** A compiled shader and the layout of its bindings. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** `GPUShaderStage.COMPUTE`. */
const COMPUTE = 4;

/** The number of shaders to keep. A large model has some two hundred; plans hold theirs themselves. */
const MOST = 1000;

/**
 * Compiled shaders by their text, for all models on a device. Beyond a limit the least recently used are dropped. They
 * are compiled in parallel and off this thread; a text that fails is forgotten, so that its error is reported each
 * time.
 */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #most: number;
  /** The pipelines by text, with the most recently used last. */
  readonly #known = new Map<string, Promise<Pipeline>>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  constructor(device: GPUDevice, most: number = MOST) {
    this.#device = device;
    this.#most = most;
  }

  /** The number of texts that are compiled or being compiled. */
  get size(): number {
    return this.#known.size;
  }

  get(dispatch: Dispatch): Promise<Pipeline> {
    const { code } = dispatch;
    const known = this.#known.get(code);
    const pipeline = known ?? this.#compile(dispatch);
    this.#known.delete(code);
    this.#known.set(code, pipeline);
    if (known !== undefined) return known;
    pipeline.catch(() => this.#known.get(code) === pipeline && this.#known.delete(code));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#most) break;
      this.#known.delete(oldest);
    }
    return pipeline;
  }

  async #compile({ name, code, reads, writes, params }: Dispatch): Promise<Pipeline> {
    const text = await withHelpers(code);
    const layout = this.#layout(reads.length, writes.length, params !== null);
    const device = this.#device;
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: text, label: name });
    const refused = device.popErrorScope();
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: name,
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: "main" },
      });
      return { pipeline, layout };
    } catch (cause) {
      const { messages } = await module.getCompilationInfo();
      const lines = messages.map(({ lineNum, linePos, message }) => `  ${lineNum}:${linePos} ${message}`);
      const reason = lines.length > 0 ? lines.join("\n") : ((await refused)?.message ?? String(cause));
      throw webgpuError("webgpu.shader", {
        what: `The device refused the shader "${name}":\n${reason}`,
        advice: "Update the browser or the driver; if the message stays, report it with the shader below.",
        details: { wgsl: text },
        cause,
      });
    }
  }

  #layout(reads: number, writes: number, params: boolean): GPUBindGroupLayout {
    const key = `${reads} ${writes} ${params}`;
    const known = this.#layouts.get(key);
    if (known !== undefined) return known;
    const types: GPUBufferBindingType[] = [
      ...new Array<GPUBufferBindingType>(reads).fill("read-only-storage"),
      ...new Array<GPUBufferBindingType>(writes).fill("storage"),
      ...(params ? (["uniform"] as const) : []),
    ];
    const entries = types.map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } }));
    const layout = this.#device.createBindGroupLayout({ entries, label: key });
    this.#layouts.set(key, layout);
    return layout;
  }
}
