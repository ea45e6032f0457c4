import type { Pt2Error } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { type Adapter, adapterOf } from "./adapter.ts";
import { Pipelines } from "./pipelines.ts";

/** A `GPUDevice` and what all models on it share. */
export interface Device {
  readonly gpu: GPUDevice;
  readonly adapter: Adapter;
  readonly pipelines: Pipelines;
  /** Why it was lost; null as long as it works. */
  readonly lost: string | null;
}

/** Wraps a device. Tests give another `adapter` to cover the variants that kernels choose by it. */
export function deviceOf(gpu: GPUDevice, adapter: Adapter = adapterOf(gpu)): Device {
  const device = { gpu, adapter, pipelines: new Pipelines(gpu), lost: null as string | null };
  void gpu.lost.then(({ reason, message }) => {
    device.lost = message || reason;
  });
  return device;
}

/** Holds the device of a backend, which is replaced after a loss. */
export class DeviceSource {
  readonly #renew: (() => Promise<GPUDevice>) | null;
  #device: Device;
  #renewing: Promise<Device> | null = null;

  /** Takes the first device. `renew` requests another one; it is null where the device is the user's own. */
  constructor(device: Device, renew: (() => Promise<GPUDevice>) | null) {
    this.#device = device;
    this.#renew = renew;
  }

  get current(): Device {
    return this.#device;
  }

  /** Fails when the device was lost. */
  requireAlive(): void {
    if (this.#device.lost !== null) throw deviceLost(this.#device.lost);
  }

  /** Returns a device that works: the current one, or a new one, which all callers share. */
  renew(): Promise<Device> {
    if (this.#device.lost === null) return Promise.resolve(this.#device);
    if (this.#renew === null) return Promise.reject(deviceLost(this.#device.lost, OWN));
    this.#renewing ??= this.#renew()
      .then((gpu) => {
        this.#device = deviceOf(gpu);
        return this.#device;
      })
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }
}

const OWN =
  "webgpu() was given the device or an adapter, which cannot give another one: make a new backend, and load the model again.";

/**
 * Returns the error to report for a failure: on a lost device that is its loss, which WebGPU reports in a turn of its
 * own.
 */
export async function whyFailed(error: unknown, device: Device): Promise<unknown> {
  await new Promise((resolve) => setTimeout(resolve));
  return device.lost === null ? error : deviceLost(device.lost);
}

/** Makes the error of every call after the device was lost. */
export function deviceLost(why: string, advice = "Call `recover()` on the model, or load it again."): Pt2Error {
  return webgpuError("webgpu.device-lost", { what: `The GPU device was lost: ${why}`, advice, details: { why } });
}
