import type { Device } from "../program/exported-program.ts";

/** `cuda:1` as its parts. */
export function parseDevice(location: string): Device {
  const [type = "cpu", index] = location.split(":");
  return { type, index: index !== undefined && /^\d+$/.test(index) ? Number(index) : null };
}
