import type { KernelCall } from "../../engine/kernel.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";
import { fitsPointwise, planPointwise } from "./pointwise.ts";
import { planRows } from "./rows.ts";

/** A convolution over many channels without workgroup memory; `oneRow` says that single elements are convolved in a row. */
export function planInRegisters(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors, oneRow: boolean): void {
  if (oneRow && fitsPointwise(geometry, tensors)) planPointwise(call, geometry, tensors);
  else planRows(call, geometry, tensors);
}
