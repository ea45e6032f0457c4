import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { NANOSECONDS_EACH_PRODUCT } from "./gemm.ts";

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
      const parts = call.team.parts({ items: batch, nanoseconds: batch * M * N * K * NANOSECONDS_EACH_PRODUCT });
      const scratchOf = partScratch(call, parts, kernels.gemmPackedBytes(K, N) >>> 0);
      const lda = M === 1 ? K : a.strides[1]!;
      const [aNext, bNext] = [a.strides[0]!, b.strides[0]!];
      call.step(
        call.team.step(parts, (part) =>
          kernels.gemmBatch(
            1,
            part.count,
            M,
            N,
            K,
            addressOf(a) + 4 * part.start * aNext,
            0,
            aNext,
            lda,
            addressOf(b) + 4 * part.start * bNext,
            0,
            bNext,
            b.strides[1]!,
            b.strides[2]!,
            addressOf(out) + 4 * part.start * M * N,
            0,
            M * N,
            N,
            scratchOf(part),
            0,
            0,
            0,
          ),
        ),
      );
    });
  },
});

function hasContiguousRows({ shape, strides }: TensorView): boolean {
  return (shape[2] === 1 || strides[2] === 1) && (shape[1] === 1 || strides[1]! >= shape[2]!);
}
