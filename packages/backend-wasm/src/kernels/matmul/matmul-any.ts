import { bigints, type Elements, numbers } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** Products of float64 and integer matrices, in plain loops. */
export const matmulAny: WasmKernel = wasmKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => !self.dtype.startsWith("complex"),
  prepare(call, { self, mat2 }) {
    const [a, b] = [call.tensor(self), call.tensor(mat2)];
    const out = call.output();
    const batched = a.shape.length === 3;
    const batch = batched ? a.shape[0]! : 1;
    const [M, K] = a.shape.slice(-2) as [number, number];
    const N = b.shape.at(-1)!;
    const multiply = <T>(
      x: Elements<T>,
      y: Elements<T>,
      z: Elements<T>,
      zero: T,
      step: (sum: T, p: T, q: T) => T,
    ): void => {
      const [aRow, aColumn] = a.strides.slice(-2) as [number, number];
      const [bRow, bColumn] = b.strides.slice(-2) as [number, number];
      for (let n = 0; n < batch; n++) {
        const [aBase, bBase] = batched ? [n * a.strides[0]!, n * b.strides[0]!] : [0, 0];
        for (let i = 0; i < M; i++) {
          for (let j = 0; j < N; j++) {
            let sum = zero;
            for (let k = 0; k < K; k++)
              sum = step(sum, x.get(aBase + i * aRow + k * aColumn), y.get(bBase + k * bRow + j * bColumn));
            z.set((n * M + i) * N + j, sum);
          }
        }
      }
    };
    call.step(() => {
      const { heap } = call;
      if (out.dtype === "int64")
        multiply(bigints(heap, a), bigints(heap, b), bigints(heap, out), 0n, (s, p, q) => s + p * q);
      else multiply(numbers(heap, a), numbers(heap, b), numbers(heap, out), 0, (s, p, q) => s + p * q);
    });
  },
});
