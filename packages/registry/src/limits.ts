import { DTYPES } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import type { TensorMeta } from "./tensor-meta.ts";

/**
 * Every bound on what a program may ask of shape rules and of lowering, with its reason. Memory is the backend's to
 * bound ({@link checkTensor} takes its limit); these keep the description of a computation itself small.
 */
export const LIMITS = {
  /**
   * Calls that one op may decompose to. An LSTM takes about ten per layer, direction and step, so this is a sequence of
   * thousands; a claimed length of a million would be unrolled for minutes.
   */
  callsPerNode: 100_000,
  /** Calls between two boundaries. The largest models have some 10^4; plans are made in time that grows with them. */
  calls: 400_000,
  /** Tensors in a list, given or returned: `unbind` of a long expanded dimension would fill the memory with views. */
  listItems: 100_000,
  /** Dimensions of a tensor; PyTorch itself ends at 64. */
  dims: 64,
} as const;

/** Fails when a program asks for more than a limit allows. */
export function checkLimit(limit: keyof typeof LIMITS, value: number, what: string): void {
  if (value <= LIMITS[limit]) return;
  throw registryError("registry.limit", {
    what: `${what}: ${limit} would be ${value}, the limit is ${LIMITS[limit]}`,
    advice: "Check the sizes of the inputs; the program is damaged or hostile if they are as intended.",
    details: { limit, value, allowed: LIMITS[limit] },
  });
}

/**
 * Proves that a tensor can exist, before anything is made for it: sizes that are sizes, and no more than `maxBytes`
 * if all its elements were stored (a view that repeats elements counts them all, since any step may have to).
 */
export function checkTensor({ dtype, shape }: TensorMeta, maxBytes: number, op: string): void {
  checkLimit("dims", shape.length, op);
  let bytes = DTYPES[dtype].itemsize;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw registryError("registry.shape", {
        what: `${op}: [${shape.join(", ")}] is not a shape, because of ${size}`,
        advice: "Check the sizes that the program computes for these inputs.",
      });
    }
    bytes *= size;
  }
  if (bytes <= maxBytes) return;
  throw registryError("registry.limit", {
    what: `${op}: a ${dtype} tensor of shape [${shape.join(", ")}] takes ${bytes} bytes, and ${maxBytes} can be addressed`,
    advice: "Use smaller inputs, or a backend with more memory.",
    details: { bytes, allowed: maxBytes },
  });
}
