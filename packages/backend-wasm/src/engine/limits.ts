/**
 * Every bound on what a program may ask of this backend's memory, with its reason. What it may ask of code that
 * backends share is bounded there.
 */
export const LIMITS = {
  /** Bytes of the memory of one executable: wasm32 addresses 4 GiB. */
  memoryBytes: 4_294_967_296,
  /** Bytes of one tensor, elements that a stride of 0 repeats counted too: any step may have to store them all. */
  tensorBytes: 4_294_967_296,
} as const;
