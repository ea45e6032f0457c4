import type { Device } from "../program/exported-program.ts";

/** Splits `cuda:1` into type and index. */
export function parseDevice(location: string): Device {
  const [type = "cpu", index] = location.split(":");
  return { type, index: index !== undefined && /^\d+$/.test(index) ? Number(index) : null };
}
