// What a page imports; tests write the rest of it through `globalThis.pt2`.
import { wasm } from "@pt2/backend-wasm";
import { eagerOps } from "@pt2/eager";
import { defineOp } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";
import { load, Pt2Error, tensor } from "@pt2/runtime";

/** What the page offers to the tests. */
export interface Page {
  readonly defineOp: typeof defineOp;
  readonly eagerOps: typeof eagerOps;
  readonly load: typeof load;
  readonly Pt2Error: typeof Pt2Error;
  readonly scalar: typeof scalar;
  readonly tensor: typeof tensor;
  readonly wasm: typeof wasm;
}

declare global {
  var pt2: Page;
}

globalThis.pt2 = { defineOp, eagerOps, load, Pt2Error, scalar, tensor, wasm };
