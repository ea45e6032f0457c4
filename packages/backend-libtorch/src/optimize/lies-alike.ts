import { contiguousStrides } from "@pt2/format";
import type { ValueType } from "@pt2/graph";

/** Whether both are tensors of one dtype and known shape, and the second one is contiguous: a new value can be written to it. */
export function liesAlike(value: ValueType | undefined, state: ValueType | undefined): boolean {
  if (value?.kind !== "tensor" || state?.kind !== "tensor" || value.dtype !== state.dtype) return false;
  const [given, wanted] = [value, state].map(({ shape }) => shape.map(Number)) as [number[], number[]];
  const isKnown = given.every(Number.isFinite) && `${given}` === `${wanted}`;
  return isKnown && `${state.strides.map(Number)}` === `${contiguousStrides(wanted)}`;
}
