import type { TorchSchemas } from "./schemas.ts";

/** PyTorch's own ops as an op set, and those of its libraries, for `createRegistry`. */
export { aten } from "./aten/index.ts";
export { libraries } from "./libraries.ts";
export type { TorchSchemas } from "./schemas.ts";

/** PyTorch's own schemas of every aten and prims overload. They are large, so they load when this is called. */
export async function loadTorchSchemas(): Promise<TorchSchemas> {
  return (await import("./schemas.ts")).torchSchemas;
}
