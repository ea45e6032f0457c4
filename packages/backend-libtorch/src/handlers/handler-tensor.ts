import { hostTensor, viewAs } from "@pt2/backend";
import type { HandlerTensor } from "@pt2/registry";
import type { NativeTensor } from "../addon.ts";

/** A tensor with its data as handlers see it. */
export function handlerTensor({ dtype, shape }: NativeTensor, bytes: Uint8Array): HandlerTensor {
  return hostTensor(dtype, shape, viewAs(dtype, bytes));
}

/** Whether what a handler returned is a tensor. */
export function isHandlerTensor(value: unknown): value is HandlerTensor {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value && "data" in value;
}
