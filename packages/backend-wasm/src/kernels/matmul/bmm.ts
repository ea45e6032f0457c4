import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";

/** `bmm(self[B, M, K], mat2[B, K, N])`; strides of both may be anything that keeps rows of `self` contiguous. */
export const bmm: WasmKernel = wasmKernel({
  ops: ["aten::bmm"],
  accepts: ({ self, mat2 }) => isFloat32(self, mat2),
  prepare(call, { self, mat2 }) {
    const given = call.convert(call.tensor(self), "float32");
    const b = call.convert(call.tensor(mat2), "float32");
    const a = hasContiguousRows(given) ? given : call.dense(given);
    const [batch, M, K] = a.shape as readonly [number, number, number];
    const N = b.shape[2]!;
    float32Result(call, (out) => {
      if (batch * M * N === 0) return;
      const { kernels } = call;
      const scratch = call.scratch(kernels.gemmPackedBytes(K, N));
      const lda = M === 1 ? K : a.strides[1]!;
      call.step(() =>
        kernels.gemmBatch(
          1,
          batch,
          M,
          N,
          K,
          addressOf(a),
          0,
          a.strides[0]!,
          lda,
          addressOf(b),
          0,
          b.strides[0]!,
          b.strides[1]!,
          b.strides[2]!,
          addressOf(out),
          0,
          M * N,
          N,
          scratch.handle,
          0,
          0,
          0,
        ),
      );
    });
  },
});

function hasContiguousRows({ shape, strides }: TensorView): boolean {
  return (shape[2] === 1 || strides[2] === 1) && (shape[1] === 1 || strides[1]! >= shape[2]!);
}
