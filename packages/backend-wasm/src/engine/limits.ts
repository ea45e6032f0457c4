/**
 * Every bound on what a program may demand of this backend's memory, with its reason. Bounds of code that backends
 * share are in the engine.
 */
export const LIMITS = {
  /** Bytes of the memory of one executable: wasm32 addresses 4 GiB. */
  memoryBytes: 4_294_967_296,
  /** Bytes of one tensor, including elements that a stride of 0 repeats: any step may have to store them all. */
  tensorBytes: 4_294_967_296,
} as const;
