import type { Pt2Error } from "@pt2/format";
import type { Device } from "../engine/device.ts";
import { DeviceTensor } from "../engine/device-tensor.ts";
import { ErrorScopes } from "../engine/error-scopes.ts";
import { webgpuError } from "../webgpu-errors.ts";
import { withHelpers } from "../wgsl/with-helpers.ts";
import { type ImageOptions, numbersOf } from "./image-options.ts";
import { imageShader, PARAMS, TILE } from "./image-shader.ts";
import { bitmapOf, type ImageSource, pictureOf, requireSize, sizeOf } from "./image-source.ts";

/**
 * Flags of `GPUTextureUsage` and `GPUBufferUsage`: a texture that a shader reads and pictures are copied to; a buffer
 * of numbers.
 */
const PICTURE = 0x02 | 0x04 | 0x10;
const NUMBERS = 0x40 | 0x08;

/** What a picture is drawn to. */
interface Target {
  readonly pipeline: GPUComputePipeline;
  readonly tensor: DeviceTensor;
  readonly numbers: GPUBuffer;
}

/**
 * Makes tensors of pictures on one device. The texture of the last size is kept, since frames of a video all have one
 * size.
 */
export class ImageTensors {
  readonly #device: Device;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  #texture: GPUTexture | null = null;

  constructor(device: Device) {
    this.#device = device;
  }

  /** Makes a tensor [1, channels, height, width]. */
  async make(given: ImageSource, options: ImageOptions): Promise<DeviceTensor> {
    const numbers = numbersOf(options);
    const { gpu, adapter } = this.#device;
    const { source, close } = await pictureOf(given, adapter).catch(refuse);
    try {
      const size = sizeOf(source);
      requireSize(size, gpu.limits.maxTextureDimension2D);
      const { width, height, channels = 3, dtype = "float32" } = options;
      const pipeline = await this.#pipeline(imageShader(channels, dtype, adapter));
      const memory = new ErrorScopes(gpu);
      const tensor = DeviceTensor.allocate(this.#device, dtype, [1, channels, height, width], memory);
      const target = { pipeline, tensor, numbers: gpu.createBuffer({ size: 4 * PARAMS, usage: NUMBERS }) };
      try {
        gpu.queue.writeBuffer(target.numbers, 0, Float32Array.from([...size, ...numbers]));
        const [drawn] = await Promise.allSettled([this.#draw(source, target)]);
        // A picture without memory was not drawn either.
        await memory.check();
        if (drawn.status === "rejected") throw drawn.reason;
        return tensor;
      } catch (error) {
        tensor.dispose();
        throw error;
      } finally {
        target.numbers.destroy();
      }
    } finally {
      close();
    }
  }

  dispose(): void {
    this.#texture?.destroy();
    this.#texture = null;
  }

  /** Draws a picture. A source that a browser or a driver does not copy directly goes through a bitmap. */
  async #draw(source: GPUCopyExternalImageSource, target: Target): Promise<void> {
    try {
      await this.#try(source, target);
    } catch {
      const { source: bitmap, close } = await bitmapOf(source).catch(refuse);
      await this.#try(bitmap, target).finally(close);
    }
  }

  async #try(source: GPUCopyExternalImageSource, target: Target): Promise<void> {
    const errors = new ErrorScopes(this.#device.gpu);
    errors.watch("validation", () => this.#submit(source, target), refused);
    await errors.check();
  }

  /** Copies and computes in one turn, since other pictures are copied to the same texture. */
  #submit(source: GPUCopyExternalImageSource, { pipeline, tensor, numbers }: Target): void {
    const { gpu } = this.#device;
    const size = sizeOf(source);
    const texture = this.#picture(size);
    gpu.queue.copyExternalImageToTexture({ source }, { texture }, size);
    const resources = [texture.createView(), { buffer: tensor.buffer }, { buffer: numbers }];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const [, , height, width] = tensor.shape as readonly [number, number, number, number];
    const encoder = gpu.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
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

  #pipeline(shader: string): Promise<GPUComputePipeline> {
    const known = this.#pipelines.get(shader) ?? this.#compile(shader);
    this.#pipelines.set(shader, known);
    // A compilation that fails is tried again.
    known.catch(() => this.#pipelines.delete(shader));
    return known;
  }

  async #compile(shader: string): Promise<GPUComputePipeline> {
    const { gpu } = this.#device;
    const module = gpu.createShaderModule({ code: await withHelpers(shader), label: "picture" });
    return await gpu.createComputePipelineAsync({ layout: "auto", compute: { module } });
  }
}

/** Reports a picture that is not decoded, closed, or from another site, in the browser's own words. */
function refuse(error: unknown): never {
  throw refused((error as Error).message);
}

function refused(message: string): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The picture cannot be read:\n${message}`,
    advice: "Check that the source has a frame, and that the page may read it.",
  });
}
