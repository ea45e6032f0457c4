import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

const registry = registryOf();
const next = randomUnit(8);

const LAYERS: Readonly<Record<string, (N: number, K: number) => string>> = {
  linear: (N, K) => `
  parameter "w" = %w: bf16[${N}, ${K}]
  parameter "b" = %b: bf16[${N}]
  user_input %x: bf16[s0, ${K}]
  %y: bf16[s0, ${N}] = aten::linear(input=%x, weight=%w, bias=%b)
  return %y`,
  addmm: (N, K) => `
  parameter "w" = %w: bf16[${N}, ${K}]
  parameter "b" = %b: bf16[${N}]
  user_input %x: bf16[s0, ${K}]
  %t: bf16[${K}, ${N}] = aten::t(self=%w)
  %y: bf16[s0, ${N}] = aten::addmm(self=%b, mat1=%x, mat2=%t)
  return %y`,
};

function products(x: HostTensor, w: HostTensor, b: HostTensor, [N, K]: readonly [number, number]): Float64Array {
  const rows = x.shape[0]!;
  const out = new Float64Array(rows * N);
  for (let i = 0; i < out.length; i++) {
    const [m, n] = [Math.floor(i / N), i % N];
    let sum = (b.data as Float32Array)[n]!;
    for (let k = 0; k < K; k++) sum += (x.data as Float32Array)[m * K + k]! * (w.data as Float32Array)[n * K + k]!;
    out[i] = sum;
  }
  return out;
}

await describeWithDevice("products with weights in bfloat16", () => {
  test.each(Object.keys(VARIANTS) as VariantName[])("take two bytes for each element, %s", async (variant) => {
    const backend = await variantBackend(variant);
    for (const sizes of [
      [157, 96],
      [64, 51],
      [8, 2],
    ] as const) {
      const [N, K] = sizes;
      for (const layer of Object.values(LAYERS)) {
        const [w, b] = [
          hostTensor("bfloat16", [N, K], randomFloats(next, N * K)),
          hostTensor("bfloat16", [N], randomFloats(next, N)),
        ];
        const model = await backend.compile({
          program: programOf(layer(N, K)),
          weights: weightsOf({ w, b }),
          registry,
        });
        for (const rows of [1, 3, 0, 13, 70]) {
          const x = hostTensor("bfloat16", [rows, K], randomFloats(next, rows * K));
          const [y] = (await model.run([x])) as [HostTensor];
          expect(y.shape).toEqual([rows, N]);
          expect(worstError(y.data as Float32Array, products(x, w, b, sizes), RELATIVE), `${rows} rows`).toBeLessThan(
            2 ** -8,
          );
          if (rows !== 1) continue;
          // Panels of 32 columns and four steps, and two kilobytes besides for what is not the weight.
          const packed = Math.ceil(N / 32) * 32 * Math.ceil(K / 4) * 4 * 2;
          expect((await model.memory!()).weights).toBeLessThan(packed + 2048);
        }
        await model.dispose();
      }
    }
  });

  test("may be infinite or no number", async () => {
    const backend = await variantBackend(Object.keys(VARIANTS)[0] as VariantName);
    const w = hostTensor(
      "bfloat16",
      [4, 2],
      new Float32Array([Number.POSITIVE_INFINITY, 1, 1, -Number.POSITIVE_INFINITY, Number.NaN, 0, 1, 2]),
    );
    const b = hostTensor("bfloat16", [4], new Float32Array(4));
    const model = await backend.compile({
      program: programOf(LAYERS.linear!(4, 2)),
      weights: weightsOf({ w, b }),
      registry,
    });
    const [y] = (await model.run([hostTensor("bfloat16", [1, 2], new Float32Array([1, 1]))])) as [HostTensor];
    expect([...y.data]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 3]);
    await model.dispose();
  });
});
