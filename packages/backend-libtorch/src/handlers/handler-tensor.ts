import { HostTensor } from "@pt2/backend";
import type { HandlerTensor } from "@pt2/registry";
import type { NativeTensor } from "../addon.ts";

/** Makes a tensor with its data in the form that handlers take. */
export function handlerTensor({ dtype, shape }: NativeTensor, bytes: Uint8Array): HandlerTensor {
  return new HostTensor(dtype, shape, bytes);
}

/** Returns whether a result of a handler is a tensor. */
export function isHandlerTensor(value: unknown): value is HandlerTensor {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value && "data" in value;
}
