import { webgpuError } from "./webgpu-errors.ts";

/** What a page gets in place of `webgpu` of `@pt2/backend-webgpu/node`: it rejects, and says what a page imports. */
export async function webgpu(): Promise<never> {
  throw webgpuError("webgpu.node-entry", {
    what: "@pt2/backend-webgpu/node brings Node a WebGPU; a page has its own",
    advice: "Import webgpu of @pt2/backend-webgpu.",
  });
}
