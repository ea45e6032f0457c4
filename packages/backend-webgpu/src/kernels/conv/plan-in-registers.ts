import { onDemand } from "@pt2/registry/on-demand";
import type { KernelCall } from "../../engine/kernel.ts";
import { LANES } from "../../shader/operand.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";
import { planRegisterRows } from "./register-rows.ts";

const pointwise = onDemand("convolution of single pixels", () => import("./pointwise.ts"));

/** A convolution over many channels without workgroup memory; `oneRow` says that single elements are convolved in a row. */
export function planInRegisters(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors, oneRow: boolean): void {
  if (oneRow && fitsPointwise(geometry, tensors)) pointwise().planPointwise(call, geometry, tensors);
  else planRegisterRows(call, geometry, tensors);
}

/** Whether the pixels of a convolution in one row can be read four at once. */
function fitsPointwise({ input }: ConvGeometry, { input: { strides, offset } }: ConvTensors): boolean {
  const [n, c, , , w] = strides as readonly [number, number, number, number, number];
  return w === 1 && [n, c, offset, input[2]].every((number) => number % LANES === 0);
}
