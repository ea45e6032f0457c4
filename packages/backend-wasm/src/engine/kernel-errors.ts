import type { Pt2Error } from "@pt2/format";
import { describeNode } from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import type { KernelCall } from "./kernel.ts";

/** An index that a program computed and that is not in its tensor. */
export function indexError(call: KernelCall, index: number, dim: number, size: number): Pt2Error {
  return wasmError("wasm.index-out-of-range", {
    what: `${call.call.record.name}: index ${index} is out of bounds for dimension ${dim} with size ${size}`,
    where: describeNode(call.call.node),
    advice: "Check the values that the program indexes with, token ids against the vocabulary for example.",
    details: { index, dim, size },
  });
}
