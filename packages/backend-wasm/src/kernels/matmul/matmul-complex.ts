import { isComplexDtype } from "@pt2/engine";
import { complexParts, numbers } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** Products of complex matrices, in plain loops. */
export const matmulComplex: WasmKernel = wasmKernel({
  ops: ["aten::bmm"],
  accepts: ({ self }) => isComplexDtype(self.dtype),
  prepare(call, { self, mat2 }) {
    const [a, b] = [call.dense(call.tensor(self)), call.dense(call.tensor(mat2))];
    const out = call.output();
    const [batch, rows, inner] = a.shape as readonly [number, number, number];
    const columns = b.shape[2]!;
    call.step(() => {
      const [x, y, z] = [a, b, out].map((view) => numbers(call.heap, complexParts(view)));
      for (let row = 0; row < batch * rows; row++) {
        const base = Math.floor(row / rows) * inner;
        for (let column = 0; column < columns; column++) {
          let [re, im] = [0, 0];
          for (let k = 0; k < inner; k++) {
            const [p, q] = [2 * (row * inner + k), 2 * ((base + k) * columns + column)];
            re += x!.get(p) * y!.get(q) - x!.get(p + 1) * y!.get(q + 1);
            im += x!.get(p) * y!.get(q + 1) + x!.get(p + 1) * y!.get(q);
          }
          z!.set(2 * (row * columns + column), re);
          z!.set(2 * (row * columns + column) + 1, im);
        }
      }
    });
  },
});
