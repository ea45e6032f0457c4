import type { TorchSchemas } from "./schemas.ts";

/** Exports PyTorch's own ops, and those of its libraries, as op sets for `createRegistry`; and an interpreter of what their
 * records say, for tests. */
export { aten } from "./aten/aten-ops.ts";
export { referenceEmitter, runReference } from "./aten/reference/interpret.ts";
export type { ReferenceData } from "./aten/reference/kernels.ts";
export { libraries } from "./libraries.ts";
export type { TorchSchemas } from "./schemas.ts";

/**
 * Loads PyTorch's own schemas of every aten and prims overload. They are large, so they are loaded only by this call.
 */
export async function loadTorchSchemas(): Promise<TorchSchemas> {
  return (await import("./schemas.ts")).torchSchemas;
}
