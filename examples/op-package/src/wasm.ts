import { type ModuleKernel, moduleKernel } from "@pt2/backend-wasm";
import type { OpSet } from "@pt2/registry";
import { scan as portable } from "./index.ts";
import { linearRecurrence } from "./linear-recurrence.ts";

/** `npm run build:wasm`, in base64. */
const MODULE =
  "AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcOAQpyZWN1cnJlbmNlAAAKZQFjAgJ/AX0DQCADIAZKBEBDAAAAACEHQQAh" +
  "BQNAIAQgBUoEQCACIAAqAgAgB5QgASoCAJIiBzgCACAFQQFqIQUgAEEEaiEAIAFBBGohASACQQRqIQIMAQsLIAZBAWohBgwBCwsL";

/** One pass over the elements. The other dtypes are left to the decomposition. */
const kernel: ModuleKernel = moduleKernel({
  ops: [linearRecurrence],
  module: Uint8Array.from(atob(MODULE), (char) => char.charCodeAt(0)),
  accepts: ({ input }) => input.dtype === "float32",
  calls({ decay, input }, [states]) {
    const size = input.shape.at(-1)!;
    const rows = input.shape.slice(0, -1).reduce((product, rows) => product * rows, 1);
    return [["recurrence", decay, input, states, rows, size]];
  },
});

/** The op with a WebAssembly kernel. */
export const scan: OpSet = { ...portable, kernels: { wasm: [kernel] } };
