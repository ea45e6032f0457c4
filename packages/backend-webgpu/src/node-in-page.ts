import { webgpuError } from "./webgpu-errors.ts";

/**
 * Rejects in a page, which gets it in place of `webgpu` of `@pt2/backend-webgpu/node`, and says what a page imports.
 */
export async function webgpu(): Promise<never> {
  throw webgpuError("webgpu.node-entry", {
    what: "@pt2/backend-webgpu/node adds WebGPU to Node, but this is a page, which has its own",
    advice: "Import webgpu from @pt2/backend-webgpu.",
  });
}
