import { backendError } from "@pt2/backend/staged";
import type { Pt2Error } from "@pt2/format";
import type { Device } from "../engine/device.ts";
import { DeviceTensor } from "../engine/device-tensor.ts";
import { Faults } from "../engine/faults.ts";
import { webgpuError } from "../webgpu-errors.ts";
import type { ImageOptions } from "./image-options.ts";
import { imageShader, PARAMS, TILE } from "./image-shader.ts";

/** Flags of `GPUTextureUsage` and `GPUBufferUsage`: read by a shader, target of a copy from a picture; of numbers. */
const PICTURE = 0x02 | 0x04 | 0x10;
const NUMBERS = 0x40 | 0x08;

/** Makes tensors of pictures on one device. The texture of the last size is kept: frames of a video all have one. */
export class ImageTensors {
  readonly #device: Device;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  #texture: GPUTexture | null = null;

  constructor(device: Device) {
    this.#device = device;
  }

  /** A tensor [1, channels, height, width]. */
  async make(source: GPUCopyExternalImageSource, options: ImageOptions): Promise<DeviceTensor> {
    const { width, height, channels = 3, dtype = "float32" } = options;
    const [mean, std] = [channelsOf("mean", options, 0), channelsOf("std", options, 1)];
    const { gpu, adapter } = this.#device;
    const size = sizeOf(source);
    requireSize(width, height, size, gpu.limits.maxTextureDimension2D);
    const pipeline = await this.#pipeline(imageShader(channels, dtype, adapter));
    const faults = new Faults(gpu);
    const tensor = DeviceTensor.allocate(this.#device, dtype, [1, channels, height, width], faults);
    const numbers = gpu.createBuffer({ size: 4 * PARAMS, usage: NUMBERS, label: "numbers of a picture" });
    const values = [...size, width, height, ...mean, ...std.map((value) => 1 / value)];
    try {
      gpu.queue.writeBuffer(numbers, 0, Float32Array.from(values));
      faults.watch("validation", () => this.#draw(source, size, { pipeline, tensor, numbers }), refused);
      await faults.settle();
      return tensor;
    } catch (error) {
      tensor.dispose();
      throw error;
    } finally {
      numbers.destroy();
    }
  }

  dispose(): void {
    this.#texture?.destroy();
    this.#texture = null;
  }

  #draw(
    source: GPUCopyExternalImageSource,
    size: readonly [number, number],
    to: { readonly pipeline: GPUComputePipeline; readonly tensor: DeviceTensor; readonly numbers: GPUBuffer },
  ): void {
    const { gpu } = this.#device;
    const texture = this.#picture(size);
    gpu.queue.copyExternalImageToTexture({ source }, { texture }, size);
    const resources = [texture.createView(), { buffer: to.tensor.buffer }, { buffer: to.numbers }];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const [, , height, width] = to.tensor.shape as readonly [number, number, number, number];
    const encoder = gpu.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(to.pipeline);
    pass.setBindGroup(0, gpu.createBindGroup({ layout: to.pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil(width / TILE), Math.ceil(height / TILE));
    pass.end();
    gpu.queue.submit([encoder.finish()]);
  }

  #picture(size: readonly [number, number]): GPUTexture {
    const [width, height] = size;
    if (this.#texture?.width === width && this.#texture.height === height) return this.#texture;
    this.#texture?.destroy();
    this.#texture = this.#device.gpu.createTexture({
      size: { width, height },
      format: "rgba8unorm",
      usage: PICTURE,
      label: "picture",
    });
    return this.#texture;
  }

  #pipeline(code: string): Promise<GPUComputePipeline> {
    const { gpu } = this.#device;
    const compute = (): GPUProgrammableStage => ({ module: gpu.createShaderModule({ code, label: "picture" }) });
    const known = this.#pipelines.get(code) ?? gpu.createComputePipelineAsync({ layout: "auto", compute: compute() });
    this.#pipelines.set(code, known);
    return known;
  }
}

function channelsOf(name: "mean" | "std", options: ImageOptions, otherwise: number): readonly number[] {
  const { channels = 3, [name]: given = new Array<number>(channels).fill(otherwise) } = options;
  if (given.length === channels) return [...given, otherwise, otherwise, otherwise].slice(0, 4);
  throw backendError("backend.input", {
    what: `${name} has ${given.length} numbers, and the tensor ${channels} channels`,
    advice: "Give one number for each channel.",
  });
}

/** Width and height in pixels. Elements of a page are as large as what they show, not as they are shown. */
function sizeOf(source: GPUCopyExternalImageSource): readonly [number, number] {
  if ("videoWidth" in source) return [source.videoWidth, source.videoHeight];
  if ("displayWidth" in source) return [source.displayWidth, source.displayHeight];
  if ("naturalWidth" in source) return [source.naturalWidth, source.naturalHeight];
  return [source.width, source.height];
}

function requireSize(width: number, height: number, from: readonly number[], limit: number): void {
  if (![width, height].every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw backendError("backend.input", {
      what: `A picture cannot be made ${width} × ${height}`,
      advice: "Give the tensor's width and height in pixels.",
    });
  }
  if (from.every((size) => size > 0 && size <= limit)) return;
  throw webgpuError("webgpu.too-large", {
    what: `The picture has ${from.join(" × ")} pixels; the device takes 1 to ${limit} in each direction`,
    advice: from.includes(0)
      ? "Wait until it is loaded: a video has no size before its metadata are there."
      : "Make it smaller first, with createImageBitmap(source, { resizeWidth }) for example.",
  });
}

function refused(message: string): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The device refused the picture:\n${message}`,
    advice: "Check that the source has a frame, and that the page may read it.",
  });
}
