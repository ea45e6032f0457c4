import type { Pt2Error } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { type Adapter, adapterOf } from "./adapter.ts";
import { Pipelines } from "./pipelines.ts";

/** A `GPUDevice` and what all models on it share. */
export interface Device {
  readonly gpu: GPUDevice;
  readonly adapter: Adapter;
  readonly pipelines: Pipelines;
  /** Why it is gone; null as long as it works. */
  readonly lost: string | null;
}

/** Wraps a device. `adapter` is for tests, which look at variants that kernels choose by the adapter. */
export function deviceOf(gpu: GPUDevice, adapter: Adapter = adapterOf(gpu)): Device {
  const device = { gpu, adapter, pipelines: new Pipelines(gpu), lost: null as string | null };
  void gpu.lost.then(({ reason, message }) => {
    device.lost = message || reason;
  });
  return device;
}

/** The device of a backend, of which there is another one after the first was lost. */
export class DeviceSource {
  readonly #renew: (() => Promise<GPUDevice>) | null;
  #device: Device;
  #renewing: Promise<Device> | null = null;

  /** `renew` asks for another device; null where the device is the user's own. */
  constructor(device: Device, renew: (() => Promise<GPUDevice>) | null) {
    this.#device = device;
    this.#renew = renew;
  }

  get current(): Device {
    return this.#device;
  }

  /** Fails when the device is gone. */
  requireAlive(): void {
    if (this.#device.lost !== null) throw deviceLost(this.#device.lost);
  }

  /** A device that works: the current one, or a new one, the same for all who ask. */
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

/** What a failure is to be called: that of a device that went away is its loss, which is told in a turn of its own. */
export async function whyFailed(error: unknown, device: Device): Promise<unknown> {
  await new Promise((resolve) => setTimeout(resolve));
  return device.lost === null ? error : deviceLost(device.lost);
}

/** The error of every call after the device went away. */
export function deviceLost(why: string, advice = "Call `recover()` on the model, or load it again."): Pt2Error {
  return webgpuError("webgpu.device-lost", { what: `The GPU device was lost: ${why}`, advice, details: { why } });
}
