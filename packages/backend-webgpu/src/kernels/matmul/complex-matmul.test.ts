import { hostTensor } from "@pt2/backend";
import { programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

const SIZES = {
  "prime sizes": [3, 17, 13, 11],
  "one row": [2, 1, 35, 23],
  "a small result of long sums": [1, 5, 700, 6],
  "large tiles": [1, 140, 20, 66],
} as const;

/** Small numbers that differ. */
const numbers = (count: number, step: number): Float32Array =>
  Float32Array.from({ length: 2 * count }, (_, i) => ((i * step) % 61) / 30 - 1);

await describeWithDevice("products of complex matrices", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    const cases = Object.entries(SIZES).flatMap(([name, sizes]) => [false, true].map((t) => [name, t, sizes] as const));
    test.each(cases)("%s, the left one transposed: %s", async (_, transposed, [batch, m, k, n]) => {
      const [a, b] = [numbers(batch * m * k, 7), numbers(batch * k * n, 11)];
      const leftShape = transposed ? [batch, k, m] : [batch, m, k];
      const program = programOf(`
        user_input %x: c64[${leftShape}]
        parameter "w" = %w: c64[${batch}, ${k}, ${n}]
        ${transposed ? `%a: c64[${batch}, ${m}, ${k}] = aten::transpose.int(self=%x, dim0=1, dim1=2)` : ""}
        %y: c64[${batch}, ${m}, ${n}] = aten::bmm(self=%${transposed ? "a" : "x"}, mat2=%w)
        return %y`);
      const backend = await variantBackend(variant);
      const executable = await backend.compile({
        program,
        weights: weightsOf({ w: hostTensor("complex64", [batch, k, n], b) }),
        registry: registryOf(),
      });
      const [y] = (await run(executable, hostTensor("complex64", leftShape, a))) as [number[]];
      const wrong: number[] = [];
      for (let at = 0; at < batch * m * n; at++) {
        const [g, i, j] = [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n];
        let [re, im] = [0, 0];
        for (let l = 0; l < k; l++) {
          const p = 2 * (transposed ? (g * k + l) * m + i : (g * m + i) * k + l);
          const q = 2 * ((g * k + l) * n + j);
          re += a[p]! * b[q]! - a[p + 1]! * b[q + 1]!;
          im += a[p]! * b[q + 1]! + a[p + 1]! * b[q]!;
        }
        const error = Math.max(Math.abs(y[2 * at]! - re), Math.abs(y[2 * at + 1]! - im));
        if (error > 4e-6 * k) wrong.push(at);
      }
      expect(wrong).toEqual([]);
      await executable.dispose();
    });
  });
});
