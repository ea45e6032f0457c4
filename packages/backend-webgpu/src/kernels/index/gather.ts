import { normalDim, numel } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { insideIndices } from "./wrap.ts";

/** `gather(self, dim, index)`: out[i][j][k] = self[index[i][j][k]][j][k] along dimension 0, and so on. */
export const gather: WebgpuKernel = webgpuKernel({
  ops: ["aten::gather"],
  complex: true,
  fuses: true,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const index = call.tensor(args.index);
    const dim = normalDim(args.dim, self.shape.length);
    const count = numel(index.shape);
    if (count === 0) return;
    const shader = call.shader("gather").raw("self", self).read("index", index);
    // Where each element of the index lies in `self`, its own dimension left out.
    shader.offsets("base", {
      shape: index.shape,
      strides: index.shape.map((_, d) => (d === dim ? 0 : self.strides[d]!)),
    });
    shader.u32("size", self.shape[dim] ?? 1).u32("stride", self.strides[dim] ?? 1);
    shader.result("out");
    const inside = insideIndices(shader, "gather", [{ dim, size: self.shape[dim] ?? 1 }], count);
    shader.forEach(count, "set_out(i, self_at(base(i) + inside(index(i), p.size) * p.stride));", {
      declarations: inside,
    });
  },
});
