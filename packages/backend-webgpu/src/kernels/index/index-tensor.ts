import { numel } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { hasNoMask, indexedBy } from "./indexed.ts";

/** `index(self, indices)` without masks. */
export const indexTensor: WebgpuKernel = webgpuKernel({
  ops: ["aten::index.Tensor"],
  unsigned: true,
  accepts: hasNoMask,
  complex: true,
  fuses: true,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const indexed = indexedBy(call, "index", self, args.indices);
    const count = numel(indexed.shape);
    if (count === 0) return;
    const shader = call.shader("index").raw("self", self);
    shader.result("out");
    const declarations = indexed.declare(shader);
    shader.forEach(count, "set_out(i, self_at(position(i)));", { declarations });
  },
});
