import { type TypedArray, viewAs } from "@pt2/backend";
import type { CaseNumber, CaseTensor } from "./case-types.ts";

/** The bytes of a tensor with data. */
export function bytesOf({ data = "" }: CaseTensor): Uint8Array {
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}

/** Its elements, or its storage where it has strides. */
export function elementsOf(tensor: CaseTensor): TypedArray {
  return viewAs(tensor.dtype, bytesOf(tensor));
}

/** A number that JSON does not have. */
export function numberOf(value: CaseNumber): number | bigint {
  return "float" in value ? Number(value.float) : BigInt(value.int);
}
