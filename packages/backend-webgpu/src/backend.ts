import {
  BACKEND_API_VERSION,
  type Backend,
  type Capabilities,
  type CompileRequest,
  type Executable,
  type HostTensor,
  hostTensor,
  type Seed,
  type UnsupportedOp,
  viewAs,
} from "@pt2/backend";
import { compileChecked, findUnsupported, hasDynamicKernel, type KernelParts, RandomState } from "@pt2/engine";
import type { DType, Pt2Error } from "@pt2/format";
import { type Program, stats } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { Device, DeviceSource } from "./engine/device.ts";
import { DeviceTensor, requireTensor } from "./engine/device-tensor.ts";
import { toGpu } from "./engine/element-bytes.ts";
import { ErrorScopes } from "./engine/error-scopes.ts";
import { WebgpuExecutable } from "./engine/executable.ts";
import type { WebgpuKernel } from "./engine/kernel.ts";
import { bytesOf } from "./engine/tensor-view.ts";
import type { ImageOptions } from "./image/image-options.ts";
import type { ImageSource } from "./image/image-source.ts";
import type { ImageTensors } from "./image/image-tensors.ts";
import { webgpuError } from "./webgpu-errors.ts";

/** The settings of a backend. */
export interface BackendSettings {
  readonly devices: DeviceSource;
  readonly kernels: KernelParts<WebgpuKernel>;
  readonly outputs: "host" | "device";
  /** Whether float64 may be held and computed as float32. */
  readonly narrowFloat64: boolean;
  /** Whether the device is destroyed with the backend. */
  readonly ownsDevice: boolean;
}

const DTYPES: readonly DType[] = [
  "float32",
  "float16",
  "bfloat16",
  "float8_e4m3fn",
  "float8_e5m2",
  "complex64",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
];

const DTYPE_ADVICE: { readonly [D in DType]?: string } = {
  float64: "webgpu({ narrowFloat64: true }) holds them as float32",
  complex128: "webgpu({ narrowFloat64: true }) holds them as complex64",
};

/** The backend on a device. */
export class WebgpuBackend implements Backend {
  readonly name = "webgpu";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities;
  readonly #settings: BackendSettings;
  readonly #random = new RandomState();
  readonly #executables = new Set<Executable>();
  #images: { readonly device: Device; readonly tensors: ImageTensors } | null = null;
  #disposed: Promise<void> | undefined;

  constructor(settings: BackendSettings) {
    this.#settings = settings;
    const { narrowFloat64 } = settings;
    this.capabilities = {
      dtypes: narrowFloat64 ? [...DTYPES, "float64", "complex128"] : DTYPES,
      narrowed: {
        int64: "int32",
        uint64: "uint32",
        ...(narrowFloat64 ? { float64: "float32", complex128: "complex64" } : {}),
      },
      handlers: true,
      dynamicSizes: true,
      offThread: true,
    };
  }

  /** The device that runs everything. */
  get device(): GPUDevice {
    return this.#device.gpu;
  }

  get #device(): Device {
    return this.#settings.devices.current;
  }

  async unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    const { kernels } = this.#settings;
    kernels.begin(stats(program.graph).map(({ op }) => op));
    const target = kernels.for(registry, "webgpu").target();
    const { dtypes } = this.capabilities;
    return await findUnsupported(program, registry, { target, dtypes, dtypeAdvice: DTYPE_ADVICE, hasDynamicKernel });
  }

  async compile(request: CompileRequest): Promise<Executable> {
    this.#requireAlive();
    const onDispose = async (): Promise<void> => {
      this.#executables.delete(executable);
      await request.onDispose?.();
    };
    const { devices, kernels, outputs } = this.#settings;
    kernels.begin(stats(request.program.graph).map(({ op }) => op));
    const executable: Executable = await compileChecked(request, this, (program) =>
      WebgpuExecutable.create({ ...request, program }, { devices, kernels, outputs, random: this.#random, onDispose }),
    ).catch((error: unknown) => {
      // The device may have been destroyed with the backend.
      throw this.#disposed !== undefined ? disposed() : error;
    });
    if (this.#disposed !== undefined) {
      await executable.dispose();
      throw disposed();
    }
    this.#executables.add(executable);
    return executable;
  }

  /** Copies a tensor to a `GPUBuffer`. */
  async upload(tensor: HostTensor): Promise<DeviceTensor> {
    this.#requireAlive();
    // A wrong tensor is refused here: errors of the device would reach the user, who may own it.
    const { dtype, shape, bytes } = hostTensor(tensor.dtype, tensor.shape, viewAs(tensor.dtype, tensor.bytes));
    this.#requireDType(dtype);
    const device = this.#device;
    const elements = toGpu(dtype, bytes, "the tensor", device.adapter);
    const errors = new ErrorScopes(device.gpu);
    const there = DeviceTensor.allocate(device, dtype, shape, errors);
    try {
      await errors.check();
    } catch (error) {
      there.dispose();
      throw error;
    }
    const padded = new Uint8Array(there.buffer.size);
    padded.set(elements);
    device.gpu.queue.writeBuffer(there.buffer, 0, padded);
    return there;
  }

  /**
   * Makes a tensor over a buffer of yours: row-major, elements stored as this backend stores them (float32 and int32 as
   * they are). The buffer stays yours; it needs the usage `COPY_SRC`.
   */
  tensor(dtype: DType, shape: readonly number[], buffer: GPUBuffer): DeviceTensor {
    this.#requireAlive();
    this.#requireDType(dtype);
    const device = this.#device;
    requireTensor(buffer, dtype, shape, bytesOf(dtype, shape, device.adapter));
    return new DeviceTensor(device, dtype, shape, buffer, false);
  }

  /**
   * Makes a tensor [1, channels, height, width] of a picture (`ImageBitmap`, `<img>`, `<video>`, `<canvas>`,
   * `VideoFrame`, …, or a file that holds one), resized and normalized on the GPU. The source has to keep its pixels
   * until the promise resolves.
   */
  async image(source: ImageSource, options: ImageOptions): Promise<DeviceTensor> {
    this.#requireAlive();
    const device = this.#device;
    const { ImageTensors } = await import("./image/image-tensors.ts");
    this.#requireAlive();
    if (this.#images?.device !== device) {
      this.#images?.tensors.dispose();
      this.#images = { device, tensors: new ImageTensors(device) };
    }
    return await this.#images.tensors.make(source, options);
  }

  manualSeed(seed: Seed): void {
    this.#random.manualSeed(seed);
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #dispose(): Promise<void> {
    this.#images?.tensors.dispose();
    try {
      await Promise.all([...this.#executables].map((executable) => executable.dispose()));
    } finally {
      if (this.#settings.ownsDevice) this.#device.gpu.destroy();
    }
  }

  #requireAlive(): void {
    if (this.#disposed !== undefined) throw disposed();
    this.#settings.devices.requireAlive();
  }

  #requireDType(dtype: DType): void {
    if (this.capabilities.dtypes.includes(dtype)) return;
    throw webgpuError("webgpu.dtype", {
      what: `The webgpu backend does not hold tensors of ${dtype}`,
      advice: DTYPE_ADVICE[dtype] ?? "Convert the tensor.",
    });
  }
}

function disposed(): Pt2Error {
  return webgpuError("webgpu.disposed", {
    what: "The webgpu backend was disposed",
    advice: "Make a new one with webgpu().",
  });
}
