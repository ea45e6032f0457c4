import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { eachWhole, type Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { NANOSECONDS_EACH_PRODUCT, narrowSide, ROW_UNIT } from "./gemm.ts";

/** Rows of a product that pay for packing its second matrix once more. */
const LEAST_ROWS = 48;

/** `bmm(self[B, M, K], mat2[B, K, N])`; strides of both may be anything that keeps rows of `self` contiguous. */
export const bmm: WasmKernel = wasmKernel({
  ops: ["aten::bmm"],
  accepts: ({ self, mat2 }) => isFloat32(self, mat2),
  async prepare(call, { self, mat2 }) {
    const given = call.convert(call.tensor(self), "float32");
    const b = call.convert(call.tensor(mat2), "float32");
    const [batch, M, K] = given.shape as readonly [number, number, number];
    const N = b.shape[2]!;
    const narrow = narrowSide(given, b);
    if (narrow !== null) return (await import("./dots.ts")).planDots(call, narrow, given, b);
    float32Result(call, (out) => {
      if (batch * M * N === 0) return;
      const a = hasContiguousRows(given) ? given : call.dense(given);
      const { kernels } = call;
      const lda = M === 1 ? K : a.strides[1]!;
      const [aNext, bNext] = [a.strides[0]!, b.strides[0]!];
      // Who computes rows of a product packs its second matrix, so matrices are divided only where threads would wait.
      const blocks = batch % call.team.threads === 0 ? 1 : Math.max(1, Math.floor(M / LEAST_ROWS));
      const rowOf = (block: number): number =>
        block === blocks ? M : Math.round((block * M) / blocks / ROW_UNIT) * ROW_UNIT;
      const parts = call.team.parts({
        items: batch * blocks,
        nanoseconds: batch * M * N * K * NANOSECONDS_EACH_PRODUCT,
      });
      const scratchOf = partScratch(call, parts, kernels.gemmPackedBytes(K, N) >>> 0);
      const multiply = (part: Part, matrix: number, count: number, row: number, rows: number): void =>
        kernels.gemmBatch(
          ...([1, count, rows, N, K] as const),
          ...([addressOf(a) + 4 * (matrix * aNext + row * lda), 0, aNext, lda] as const),
          ...([addressOf(b) + 4 * matrix * bNext, 0, bNext, b.strides[1]!, b.strides[2]!] as const),
          ...([addressOf(out) + 4 * (matrix * M + row) * N, 0, M * N, N] as const),
          ...([scratchOf(part), 0, 0, 0] as const),
        );
      const compute = (part: Part): void => {
        if (blocks === 1) {
          multiply(part, part.start, part.count, 0, M);
          return;
        }
        eachWhole(part, blocks, (matrix, block, count) => {
          const row = rowOf(block);
          multiply(part, matrix, 1, row, rowOf(block + count) - row);
        });
      };
      call.step(call.team.step(parts, compute));
    });
  },
});

function hasContiguousRows({ shape, strides }: TensorView): boolean {
  return (shape[2] === 1 || strides[2] === 1) && (shape[1] === 1 || strides[1]! >= shape[2]!);
}
