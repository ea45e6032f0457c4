import { expect } from "vitest";
import type { NativeBytes, NativeTensor } from "./addon.ts";

/** A vector of float32, as an input of a native run. */
export const bytesOf = (...values: number[]): NativeBytes => ({
  bytes: new Uint8Array(new Float32Array(values).buffer),
  dtype: "float32",
  shape: [values.length],
});

/** A copy of the elements of a native float32 tensor. */
export const floats = (tensor: unknown): number[] => [
  ...new Float32Array((tensor as NativeTensor).bytes().slice().buffer),
];

/** Matches what the native module throws with this code, without its `libtorch.`. */
export const coded = (code: string): unknown => expect.objectContaining({ code: `libtorch.${code}` });
