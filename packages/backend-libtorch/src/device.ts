import type { LibtorchInfo } from "./addon.ts";
import { libtorchError } from "./libtorch-errors.ts";

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
