import { indexError } from "@pt2/engine";
import { numbers } from "../../engine/element-access.ts";
import { type PlanContext, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { packedBytes, withContiguousRows } from "./gemm.ts";

/**
 * `_grouped_mm(self[M, K], mat2[G, K, N], offs[G])`: rows up to `offs[g]` that no group before has taken, times
 * `mat2[g]`. Rows behind the last offset are zero. Matrices of groups without rows are not read.
 */
export const groupedMm: WasmKernel = wasmKernel({
  ops: ["aten::_grouped_mm"],
  accepts: ({ self, mat2 }) => isFloat32(self, mat2) && self.shape.length === 2 && mat2.shape.length === 3,
  prepare(call, { self, mat2, offs }) {
    const rows = withContiguousRows(call, call.convert(call.tensor(self), "float32"));
    const stack = call.convert(call.tensor(mat2), "float32");
    const offsets = call.tensor(offs!);
    const [M, K] = rows.shape as readonly [number, number];
    const [groups, , N] = stack.shape as readonly [number, number, number];
    const { kernels } = call;
    float32Result(call, (out) => {
      if (M === 0 || N === 0) return;
      const packed = packedStack(call, stack);
      const each = kernels.gemmPackedBytes(K, N);
      const lda = M === 1 ? K : rows.strides[0]!;
      call.step(() => {
        const ends = numbers(call.heap, offsets);
        const [from, to] = [addressOf(rows), addressOf(out)];
        let start = 0;
        for (let g = 0; g < groups; g++) {
          const end = ends.get(g * offsets.strides[0]!);
          if (!(end >= start && end <= M)) throw indexError(end, 0, M, call.call);
          const b = addressOf(packed) + g * each;
          if (end > start) {
            const [a, c] = [from + 4 * start * lda, to + 4 * start * N];
            kernels.gemmPacked(end - start, N, K, a, lda, b, c, N, 0, 0, 0, 0);
          }
          start = end;
        }
        call.heap.u8.fill(0, to + 4 * start * N, to + 4 * M * N);
      });
    });
  },
});

/** Packs every matrix of a stack into the panels that the product reads, one matrix after the other. */
function packedStack(ctx: PlanContext, stack: TensorView): TensorView {
  const [groups, K, N] = stack.shape as readonly [number, number, number];
  const [next, strideK, strideN] = stack.strides as readonly [number, number, number];
  const each = ctx.kernels.gemmPackedBytes(K, N);
  return ctx.prepared(stack, "gemm-stack", packedBytes(groups * each), (inner, from, to) =>
    inner.step(() => {
      for (let g = 0; g < groups; g++) {
        inner.kernels.gemmPackB(addressOf(from) + 4 * g * next, strideK, strideN, K, N, addressOf(to) + g * each);
      }
    }),
  );
}
