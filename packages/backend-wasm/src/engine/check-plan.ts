import type { PlanBuffer } from "@pt2/engine";
import { addErrorLocation } from "@pt2/engine";
import { wasmError } from "../wasm-errors.ts";
import { LIMITS } from "./limits.ts";

/** Refuses a plan that cannot be addressed, before anything is allocated for it; names what takes most. */
export function checkRoom(bytes: number, buffers: readonly PlanBuffer<number>[]): void {
  if (bytes <= LIMITS.memoryBytes) return;
  const largest = buffers.reduce((most, buffer) => (buffer.bytes > most.bytes ? buffer : most));
  const { calls } = largest;
  const ops = calls.map(({ record }) => record.name).join(" + ") || "the inputs";
  const error = wasmError("wasm.out-of-memory", {
    what: `The activations take ${bytes} bytes, of which ${largest.bytes} at once are for ${ops}; wasm32 addresses ${LIMITS.memoryBytes}`,
    advice: "Use smaller inputs, or another backend.",
    details: { bytes, allowed: LIMITS.memoryBytes },
  });
  throw addErrorLocation(error, calls);
}
