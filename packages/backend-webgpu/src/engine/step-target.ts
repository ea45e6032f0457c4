import type { Device } from "./device.ts";
import type { Memory } from "./memory.ts";
import type { Stream } from "./stream.ts";

/** What steps run on. */
export interface StepTarget {
  readonly device: Device;
  readonly memory: Memory;
  readonly stream: Stream;
}
