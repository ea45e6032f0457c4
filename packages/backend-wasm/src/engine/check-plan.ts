import { locate } from "@pt2/backend/staged";
import { DTYPES } from "@pt2/format";
import type { Call } from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import { LIMITS } from "./limits.ts";
import type { Place } from "./place.ts";

/** The largest buffer of a plan, and the calls that asked for it. */
export interface LargestBuffer {
  readonly bytes: number;
  readonly calls: readonly Call[];
}

/** Refuses a plan that cannot be addressed, before anything is allocated for it; names what takes most. */
export function checkRoom(bytes: number, largest: LargestBuffer): void {
  if (bytes <= LIMITS.memoryBytes) return;
  const { calls } = largest;
  const ops = calls.map(({ record }) => record.name).join(" + ") || "the inputs";
  const error = wasmError("wasm.out-of-memory", {
    what: `The activations take ${bytes} bytes, of which ${largest.bytes} at once are for ${ops}; wasm32 addresses ${LIMITS.memoryBytes}`,
    advice: "Use smaller inputs, or another backend.",
    details: { bytes, allowed: LIMITS.memoryBytes },
  });
  throw locate(error, calls);
}

/**
 * Proves that a view stays inside its buffer, whatever rule gave its geometry: kernels trust places. This is the last
 * gate in front of memory; lowering has refused what is wrong with the program before.
 */
export function checkInside({ dtype, shape, strides, offset, buffer }: Place): void {
  if (shape.includes(0)) return;
  let [first, last] = [offset, offset];
  for (const [d, size] of shape.entries()) {
    const reach = (size - 1) * strides[d]!;
    if (reach < 0) first += reach;
    else last += reach;
  }
  if (first >= 0 && (last + 1) * DTYPES[dtype].itemsize <= buffer.bytes) return;
  throw wasmError("wasm.view-bounds", {
    what: `A view of shape [${shape.join(", ")}], strides [${strides.join(", ")}] and offset ${offset} leaves its buffer of ${buffer.bytes} bytes`,
    advice: "Report the program: the op's record should have refused these arguments.",
  });
}
