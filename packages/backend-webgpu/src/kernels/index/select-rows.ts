import { normalDim, numel } from "@pt2/format";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { partsOf } from "../../shader/binding.ts";
import { insideIndices } from "./wrap.ts";

/** `index_select(self, dim, index)` */
export const indexSelect: WebgpuKernel = webgpuKernel({
  ops: ["aten::index_select"],
  complex: true,
  fuses: true,
  prepare(call, args) {
    const self = call.tensor(args.self);
    planSlices(call, "index_select", self, call.tensor(args.index), normalDim(args.dim, self.shape.length));
  },
});

/** `embedding(weight, indices)`: the rows of a table. */
export const embedding: WebgpuKernel = webgpuKernel({
  ops: ["aten::embedding"],
  unsigned: true,
  complex: true,
  fuses: true,
  prepare: (call, { weight, indices }) => planSlices(call, "embedding", call.tensor(weight), call.tensor(indices), 0),
});

/** out[outer, i, inner] = self[outer, index[i], inner]. A table beyond the binding limit is looked at in parts. */
function planSlices(call: KernelCall, op: string, self: TensorView, index: TensorView, dim: number): void {
  const rows = numel(index.shape);
  const inner = numel(self.shape.slice(dim + 1));
  const count = numel(self.shape.slice(0, dim)) * rows * inner;
  if (count === 0) return;
  const size = self.shape[dim] ?? 1;
  for (const { view, start } of partsOf(self, dim, call.adapter)) {
    const shader = call.shader(op).raw("self", view).read("index", index);
    const kept = self.shape.map((n, d) => (d === dim ? rows : n));
    shader.offsets("base", { shape: kept, strides: self.strides.map((s, d) => (d === dim ? 0 : s)) });
    shader
      .u32("size", size)
      .u32("stride", self.strides[dim] ?? 1)
      .u32("inner", inner)
      .u32("rows", rows);
    shader.u32("start", start).u32("part", view.shape[dim] ?? 1);
    shader.result("out");
    const declarations = insideIndices(shader, op, [{ dim, size }], count);
    shader.forEach(
      count,
      `let row = inside(index((i / p.inner) % p.rows), p.size) - p.start;
  if (row < p.part) { set_out(i, self_at(base(i) + row * p.stride)); }`,
      { declarations },
    );
  }
}
