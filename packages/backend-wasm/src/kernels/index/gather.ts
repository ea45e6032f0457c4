import { numel } from "@pt2/backend";
import { normalDim } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { chosenAlong, inOrder, planIndexRows } from "./index-rows.ts";
import { planRows } from "./read-rows.ts";

/** `gather(self, dim, index)`: out[i][j][k] = self[index[i][j][k]][j][k] along dimension 0, and so on. */
export const gather: WasmKernel = wasmKernel({
  ops: ["aten::gather"],
  prepare(call, args) {
    const [self, index] = [call.tensor(args.self), call.tensor(args.index)];
    const out = call.output();
    if (numel(out.shape) === 0) return;
    const dim = normalDim(args.dim, self.shape.length);
    const rows = planRows(call, index, { dim, size: self.shape[dim] ?? 1 });
    planIndexRows(call, "set", rows, chosenAlong(self, dim), inOrder(out));
  },
});
