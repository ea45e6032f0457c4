import { webgpuError } from "./webgpu-errors.ts";

/**
 * Rejects in a page, which gets it in place of `webgpu` of `@pt2/backend-webgpu/node`, and says what a page imports.
 */
export async function webgpu(): Promise<never> {
  throw webgpuError("webgpu.node-entry", {
    what: "@pt2/backend-webgpu/node brings Node a WebGPU; a page has its own",
    advice: "Import webgpu of @pt2/backend-webgpu.",
  });
}
