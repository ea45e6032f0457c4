import { normalDim } from "@pt2/backend/strides";
import type { Call, LoweredTensor } from "@pt2/registry";

/** Whether a call puts two numbers side by side in a last dimension of two. */
export function isPairing({ record, args, results }: Call): boolean {
  if (record.name !== "aten::cat") return false;
  const parts = args["tensors"] as readonly LoweredTensor[];
  const { dtype, shape } = results[0] as LoweredTensor;
  const rank = shape.length;
  const columns = parts.length === 2 && parts.every((part) => part.shape.length === rank && part.shape.at(-1) === 1);
  if (!columns || normalDim(args["dim"] as number, rank) !== rank - 1) return false;
  return (dtype === "float32" || dtype === "float64") && parts.every((part) => part.dtype === dtype);
}
