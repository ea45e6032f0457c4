import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const WEBGPU_ERRORS = {
  "webgpu.binding-limit": "a tensor is larger than what the device binds at once, and the op cannot work in parts",
  "webgpu.device-lost": "the GPU device was lost; `recover()` builds the model again on a new one",
  "webgpu.disposed": "the model, a tensor or the backend was disposed before the call",
  "webgpu.dtype": "the backend does not hold tensors of a dtype, or only when told that it may narrow them",
  "webgpu.int64-range": "an int64 value does not fit the 32 bits that the GPU computes with",
  "webgpu.no-adapter": "there is no WebGPU here, or no adapter",
  "webgpu.node-entry": "a page imported an entry point that only works in Node",
  "webgpu.out-of-memory": "the device has no memory left for a buffer",
  "webgpu.refused": "the device refused a call; its own message is kept",
  "webgpu.shader": "the device refused a shader; its own message and the WGSL are kept",
  "webgpu.too-large": "a computation needs more than the device's limits allow",
} as const;

/** A code of {@link WEBGPU_ERRORS}. */
export type WebgpuErrorCode = keyof typeof WEBGPU_ERRORS;

/** Makes an error whose code is in the table. */
export function webgpuError(code: WebgpuErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
