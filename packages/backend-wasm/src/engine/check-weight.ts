import { numel } from "@pt2/backend";
import { DTYPES, type WeightTensor } from "@pt2/format";
import type { ValueType } from "@pt2/graph";
import { wasmError } from "../wasm-errors.ts";
import type { Place } from "./place.ts";
import { type HostData, isHostData, type RunValue } from "./run-value.ts";

/** Refuses a weight whose bytes are not in the file, or that is not the tensor that the program was exported with. */
export function checkWeight(target: string, weight: WeightTensor, declared: ValueType | undefined): void {
  const { dtype, shape, strides, storageOffset, storage } = weight;
  const last = shape.reduce((at, size, d) => at + (size - 1) * strides[d]!, storageOffset);
  if (numel(shape) > 0 && (last + 1) * DTYPES[dtype].itemsize > storage.nbytes) {
    throw wasmError("wasm.missing-weight", {
      what: `"${target}" takes ${(last + 1) * DTYPES[dtype].itemsize} bytes, and the archive has ${storage.nbytes}`,
      advice: "The program was exported with fake weights, or the file is damaged: export it with real ones.",
      details: { target },
    });
  }
  if (declared === undefined) return;
  const fits =
    declared.kind === "tensor" &&
    declared.dtype === dtype &&
    declared.shape.length === shape.length &&
    declared.shape.every((size, d) => typeof size === "object" || Number(size) === shape[d]);
  if (fits) return;
  throw wasmError("wasm.weight-mismatch", {
    what: `"${target}" is a ${dtype} tensor of shape [${shape.join(", ")}] in the archive, and something else in the program`,
    advice: "Weights and program are not of one export: save the program again.",
    details: { target },
  });
}

/** A result that is to be written to a buffer; anything but the buffer's dtype and shape would not fit its place. */
export function checkWrite(target: string, place: Place | undefined, result: RunValue): HostData {
  if (place !== undefined && isHostData(result)) {
    const { dtype, shape } = result;
    if (dtype === place.dtype && `${shape}` === `${place.shape}`) return result;
  }
  const given = isHostData(result) ? `a ${result.dtype} tensor of shape [${result.shape.join(", ")}]` : "no tensor";
  throw wasmError("wasm.buffer-write", {
    what: `The program writes ${given} to "${target}", ${place === undefined ? "which it does not have" : `a ${place.dtype} tensor of shape [${place.shape.join(", ")}]`}`,
    advice: "The program is damaged: export it again.",
    details: { target },
  });
}
