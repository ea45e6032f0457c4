import type { Value } from "@pt2/backend";
import { backendError, HostTensor } from "@pt2/backend";
import type { WireValue } from "./protocol.ts";

/** Copies a value for another thread; the caller's tensor does not change. */
export function toWire(value: Value): WireValue {
  if (typeof value !== "object" || value === null) return value;
  const { dtype, shape, bytes, device } = value;
  if (bytes === null) {
    throw backendError("backend.foreign-tensor", {
      what: `A tensor on device "${device}" was given to the wasm backend`,
      advice: "Read it first: await tensor.cpu().",
    });
  }
  return { dtype, shape, bytes: bytes.slice().buffer };
}

/** Converts a value from another thread, which gave its bytes away. */
export function fromWire(value: WireValue): Value {
  if (typeof value !== "object" || value === null) return value;
  return new HostTensor(value.dtype, value.shape, new Uint8Array(value.bytes));
}

/** Returns the buffers that are transferred instead of copied. */
export function transfersOf(values: readonly WireValue[]): readonly ArrayBuffer[] {
  return values.flatMap((value) => (typeof value === "object" && value !== null ? [value.bytes] : []));
}
