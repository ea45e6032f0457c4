import type { KernelCall } from "../../engine/kernel.ts";
import { LANES } from "../../shader/operand.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";
import { planRegisterRows } from "./register-rows.ts";

/** A convolution over many channels without workgroup memory; `oneRow` says that single elements are convolved in a row. */
export async function planInRegisters(
  call: KernelCall,
  geometry: ConvGeometry,
  tensors: ConvTensors,
  oneRow: boolean,
): Promise<void> {
  if (oneRow && fitsPointwise(geometry, tensors)) {
    const { planPointwise } = await import("./pointwise.ts");
    planPointwise(call, geometry, tensors);
  } else planRegisterRows(call, geometry, tensors);
}

/** Whether the pixels of a convolution in one row can be read four at once. */
function fitsPointwise({ input }: ConvGeometry, { input: { strides, offset } }: ConvTensors): boolean {
  const [n, c, , , w] = strides as readonly [number, number, number, number, number];
  return w === 1 && [n, c, offset, input[2]].every((number) => number % LANES === 0);
}
