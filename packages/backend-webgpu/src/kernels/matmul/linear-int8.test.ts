import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

const registry = registryOf([], libraries);
const next = randomUnit(4);
const [N, K, GROUP] = [157, 96, 32];

function integers(count: number, most: number): Int8Array<ArrayBuffer> {
  return Int8Array.from({ length: count }, () => Math.floor(next() * 2 * most) - most);
}

const weights = {
  w: hostTensor("int8", [N, K], integers(N * K, 128)),
  s: hostTensor("float32", [N, K / GROUP], randomFloats(next, (N * K) / GROUP)),
  z: hostTensor("int8", [N, K / GROUP], integers((N * K) / GROUP, 8)),
  b: hostTensor("float32", [N], randomFloats(next, N)),
};

const perGroup = programOf(`
  parameter "w" = %w: i8[${N}, ${K}]
  parameter "s" = %s: f32[${N}, ${K / GROUP}]
  parameter "z" = %z: i8[${N}, ${K / GROUP}]
  parameter "b" = %b: f32[${N}]
  user_input %x: f32[s0, ${K}]
  %d: f32[${N}, ${K}] = torchao::dequantize_affine(input=%w, block_size=[1, ${GROUP}], scale=%s, zero_point=%z, input_dtype=torch.int8)
  %l: f32[s0, ${N}] = aten::linear(input=%x, weight=%d, bias=%b)
  %y: f32[s0, ${N}] = aten::relu(self=%l)
  return %y`);

const converted = programOf(`
  parameter "w" = %w: i8[${N}, ${K}]
  user_input %x: f32[s0, 3, ${K}]
  %t: f32[3, s0, ${K}] = aten::permute(self=%x, dims=[1, 0, 2])
  %d: f32[${N}, ${K}] = aten::to.dtype(self=%w, dtype=torch.float32)
  %y: f32[3, s0, ${N}] = aten::linear(input=%t, weight=%d)
  return %y`);

const values = ({ data }: HostTensor): Float64Array => Float64Array.from(data as Float32Array, (value) => value / 1000);

await describeWithDevice("pt2::linear_int8", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test("a weight of one byte for each element gives the results of the floats that it stands for", async () => {
      const backend = await variantBackend(variant);
      for (const program of [perGroup, converted]) {
        const from = { program, weights: weightsOf(weights), registry };
        const fast = await backend.compile({ ...from, precision: "fast" });
        const exact = await backend.compile({ ...from, precision: "exact" });
        for (const rows of [1, 3, 0, 13, 70]) {
          const shape = program === perGroup ? [rows, K] : [rows, 3, K];
          const x = hostTensor(
            "float32",
            shape,
            randomFloats(
              next,
              shape.reduce((a, b) => a * b),
            ),
          );
          const [actual] = (await fast.run([x])) as [HostTensor];
          const [expected] = (await exact.run([x])) as [HostTensor];
          expect(actual.shape).toEqual(expected.shape);
          expect(worstError(values(actual), values(expected), RELATIVE), `${rows} rows`).toBeLessThan(1e-6);
          if (rows > 1) continue;
          expect((await fast.memory!()).weights).toBeLessThan(2 * N * K);
          expect((await exact.memory!()).weights).toBeGreaterThan(4 * N * K);
        }
        await Promise.all([fast.dispose(), exact.dispose()]);
      }
    });
  });
});
