import { type Adapter, adapterOf } from "./adapter.ts";
import { Pipelines } from "./pipelines.ts";

/** A `GPUDevice` and what all models on it share. */
export interface Device {
  readonly gpu: GPUDevice;
  readonly adapter: Adapter;
  readonly pipelines: Pipelines;
}

/** Wraps a device. `adapter` is for tests, which look at variants that kernels choose by the adapter. */
export function deviceOf(gpu: GPUDevice, adapter: Adapter = adapterOf(gpu)): Device {
  return { gpu, adapter, pipelines: new Pipelines(gpu) };
}
