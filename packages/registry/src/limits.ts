import { DTYPES } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import type { TensorMeta } from "./tensor-meta.ts";

/**
 * The limits on what a program may require of shape rules and of lowering, with their reasons. Each backend limits
 * memory ({@link checkTensor} takes its limit); these limits bound the description of a computation.
 */
export const LIMITS = {
  /**
   * The number of calls that one op may decompose into. An LSTM takes about ten per layer, direction and step, so this
   * allows sequences of thousands; unrolling a length of a million would take minutes.
   */
  callsPerNode: 100_000,
  /**
   * The number of calls between two graph breaks. The largest models have about 10^4; planning time grows with the
   * number.
   */
  calls: 400_000,
  /**
   * The number of tensors in a list argument or result: `unbind` of a long expanded dimension would fill the memory
   * with views.
   */
  listItems: 100_000,
  /** The number of dimensions of a tensor, as in PyTorch. */
  dims: 64,
} as const;

/** Throws if a program exceeds a limit. */
export function checkLimit(limit: keyof typeof LIMITS, value: number, what: string): void {
  if (value <= LIMITS[limit]) return;
  throw registryError("registry.limit", {
    what: `${what}: ${limit} is ${value}, but the limit is ${LIMITS[limit]}`,
    advice: "Check the sizes of the inputs; if they are intended, the program is damaged or malicious.",
    details: { limit, value, allowed: LIMITS[limit] },
  });
}

/**
 * Checks that a tensor can exist before anything is allocated for it: its sizes are valid, and it takes at most
 * `maxBytes` with all its elements stored (repeated elements of a view count too, since any step may have to store
 * them).
 */
export function checkTensor({ dtype, shape }: TensorMeta, maxBytes: number, op: string): void {
  checkLimit("dims", shape.length, op);
  let bytes = DTYPES[dtype].itemsize;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw registryError("registry.shape", {
        what: `${op}: [${shape.join(", ")}] is not a shape: ${size} is not a size`,
        advice: "Check the sizes that the program computes for these inputs.",
      });
    }
    bytes *= size;
  }
  if (bytes <= maxBytes) return;
  throw registryError("registry.limit", {
    what: `${op}: a ${dtype} tensor of shape [${shape.join(", ")}] takes ${bytes} bytes, but at most ${maxBytes} can be addressed`,
    advice: "Use smaller inputs, or a backend with more memory.",
    details: { bytes, allowed: maxBytes },
  });
}
