import type { LibtorchInfo } from "./addon.ts";
import { libtorchError } from "./libtorch-errors.ts";

/** Refuses a GPU of a compute capability below `least`. A device is named as {@link requireDevice} returns it. */
export function requireCapability(device: string, least: number, { cuda }: LibtorchInfo): void {
  const gpu = typeof cuda === "string" ? undefined : cuda.devices[Number(device.replace("cuda:", ""))];
  if (gpu !== undefined && Number(gpu.capability) >= least) return;
  throw libtorchError("libtorch.device", {
    what: `\`cudaKernels\` needs a GPU of compute capability ${least}.0, and \`${device}\` is ${gpu === undefined ? "none" : `of ${gpu.capability}`}`,
    advice: "Leave the option out: libtorch's own kernels run everywhere.",
    details: { device, cuda },
  });
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
