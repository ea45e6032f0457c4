import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { planInt8Product } from "./int8-words.ts";
import { stacked, transposed } from "./matmul.ts";

/** Floats have every sum of so many products of a byte and an int8: 512 · 255 · 128 is less than 2²⁴. */
const EXACT = 512;

/** `_int_mm(self[M, K], mat2[K, N])`: products of int8, or of uint8 by int8, whose sums are int32. */
export const intMm: WebgpuKernel = webgpuKernel({
  ops: ["aten::_int_mm"],
  accepts: ({ self }) => self.shape[1]! > 0,
  fuses: true,
  async prepare(call, { self, mat2 }) {
    const weight = transposed(call.tensor(mat2));
    const [N, K] = weight.shape as readonly [number, number];
    const M = self.shape[0]!;
    if (M * N === 0) return;
    const a = stacked(call.convert(call.tensor(self), "float32"));
    const parts = Math.ceil(K / EXACT);
    const sums = call.temporary("float32", [parts, M, N]);
    const product = { a, weight, bias: null, scale: null, zero: null, groups: 1 };
    for (let part = 0; part < parts; part++) {
      const sum = { ...sums, shape: [M, N], strides: [N, 1], offset: sums.offset + part * M * N };
      const start = part * EXACT;
      await planInt8Product(call, product, (shader, options) => shader.write("out", sum, options), [
        start,
        Math.min(EXACT, K - start),
      ]);
    }
    const shader = call
      .shader("sum of exact parts")
      .raw("x", sums)
      .u32("size", M * N);
    shader.result("out");
    const body = `var sum = 0i;
  for (var part = 0u; part < ${parts}u; part++) { sum += i32(x_at(part * p.size + i)); }
  set_out(i, sum);`;
    shader.forEach(M * N, body);
  },
});
