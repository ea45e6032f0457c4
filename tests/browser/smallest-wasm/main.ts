// All that a page needs to run a program in a worker.
import { wasm } from "@pt2/backend-wasm";
import { load, tensor } from "@pt2/runtime";

/** What the page offers to the tests. */
export interface SmallestWasm {
  readonly load: typeof load;
  readonly tensor: typeof tensor;
  readonly wasm: typeof wasm;
}

declare global {
  var smallestWasm: SmallestWasm;
}

globalThis.smallestWasm = { load, tensor, wasm };
