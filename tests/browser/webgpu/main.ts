// What a page with WebGPU imports; tests write the rest of it through `globalThis.gpu`.
import { webgpu } from "@pt2/backend-webgpu";
import { eagerOps } from "@pt2/eager";
import { cached, cacheUsage, clearCache } from "@pt2/format";
import { load, tensor } from "@pt2/runtime";

/** What the page offers to the tests. */
export interface Page {
  readonly cached: typeof cached;
  readonly cacheUsage: typeof cacheUsage;
  readonly clearCache: typeof clearCache;
  readonly eagerOps: typeof eagerOps;
  readonly load: typeof load;
  readonly tensor: typeof tensor;
  readonly webgpu: typeof webgpu;
}

declare global {
  var gpu: Page;
}

globalThis.gpu = { cached, cacheUsage, clearCache, eagerOps, load, tensor, webgpu };
