// What a page imports; tests write the rest of it through `globalThis.pt2`.
import { wasm } from "@pt2/backend-wasm";
import { load, Pt2Error, tensor } from "@pt2/runtime";

/** What the page offers to the tests. */
export interface Page {
  readonly load: typeof load;
  readonly Pt2Error: typeof Pt2Error;
  readonly tensor: typeof tensor;
  readonly wasm: typeof wasm;
}

declare global {
  var pt2: Page;
}

globalThis.pt2 = { load, Pt2Error, tensor, wasm };
