// All that a page needs to run a program on the GPU.
import { webgpu } from "@pt2/backend-webgpu";
import { load, tensor } from "@pt2/runtime";

/** What the page offers to the tests. */
export interface Smallest {
  readonly load: typeof load;
  readonly tensor: typeof tensor;
  readonly webgpu: typeof webgpu;
}

declare global {
  var smallest: Smallest;
}

globalThis.smallest = { load, tensor, webgpu };
