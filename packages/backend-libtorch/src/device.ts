import type { LibtorchInfo } from "./addon.ts";
import { libtorchError } from "./libtorch-errors.ts";
import type { OptimizeTarget } from "./optimize/target.ts";

/** The compute capability from which GPUs have tensor cores that multiply in TF32. */
const TENSOR_CORES = 8;

/** Returns whether kernels of this package are of use on a device, which is named as {@link requireDevice} returns it. */
export function suitsOwnKernels(device: string, { cuda }: LibtorchInfo): boolean {
  if (device === "cpu") return true;
  const gpu = typeof cuda === "string" ? undefined : cuda.devices[Number(device.replace("cuda:", ""))];
  return Number(gpu?.capability) >= TENSOR_CORES;
}

/** Returns which dtypes of half precision a device computes in float32. */
export function widenedOn(device: string, { multipliesBfloat16 }: LibtorchInfo): OptimizeTarget["widened"] {
  if (device !== "cpu") return undefined;
  return new Map([
    ["float16", "always"],
    ["bfloat16", multipliesBfloat16 ? "between products" : "always"],
  ]);
}

/** Returns the name that the native module has for a device, `cpu` or `cuda:0`, if the device is there. */
export function requireDevice(device: string, { cuda }: LibtorchInfo): string {
  if (device === "cpu") return device;
  const index = /^cuda(?::(\d+))?$/.exec(device);
  if (index === null) {
    throw libtorchError("libtorch.device", {
      what: `\`${device}\` is not a device of the libtorch backend`,
      advice: "Give `cpu`, `cuda` or `cuda:1`.",
    });
  }
  const count = typeof cuda === "string" ? 0 : cuda.devices.length;
  const wanted = Number(index[1] ?? 0);
  if (wanted < count) return `cuda:${wanted}`;
  throw libtorchError("libtorch.device", {
    what: `The device \`${device}\` does not exist on this machine: ${typeof cuda === "string" ? cuda : `there are ${count} CUDA devices`}`,
    advice: "Choose one of the devices that `pt2 doctor` lists, or install a libtorch built for CUDA.",
    details: { device, cuda },
  });
}
