import { type TypedArray, viewAs } from "@pt2/backend";
import type { CaseNumber, CaseTensor } from "./case-types.ts";

/** Decodes the bytes of a tensor that has data. */
export function bytesOf({ data = "" }: CaseTensor): Uint8Array {
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}

/** Returns the elements of a tensor, or those of its storage if it has strides. */
export function elementsOf(tensor: CaseTensor): TypedArray {
  return viewAs(tensor.dtype, bytesOf(tensor));
}

/** Converts a number that JSON cannot represent. */
export function numberOf(value: CaseNumber): number | bigint {
  return "float" in value ? Number(value.float) : BigInt(value.int);
}
