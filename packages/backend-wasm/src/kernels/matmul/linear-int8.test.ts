import type { HostTensor } from "@pt2/backend";
import { hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

const registry = registryOf([], libraries);
const next = randomUnit(4);
const [N, K, GROUP] = [37, 96, 32];

const weights = {
  w: hostTensor(
    "int8",
    [N, K],
    Int8Array.from({ length: N * K }, () => Math.floor(next() * 256) - 128),
  ),
  s: hostTensor("float32", [N, K / GROUP], randomFloats(next, (N * K) / GROUP)),
  z: hostTensor(
    "int8",
    [N, K / GROUP],
    Int8Array.from({ length: (N * K) / GROUP }, () => Math.floor(next() * 16) - 8),
  ),
  b: hostTensor("float32", [N], randomFloats(next, N)),
};

const program = programOf(`
  parameter "w" = %w: i8[${N}, ${K}]
  parameter "s" = %s: f32[${N}, ${K / GROUP}]
  parameter "z" = %z: i8[${N}, ${K / GROUP}]
  parameter "b" = %b: f32[${N}]
  user_input %x: f32[s0, ${K}]
  %d: f32[${N}, ${K}] = torchao::dequantize_affine(input=%w, block_size=[1, ${GROUP}], scale=%s, zero_point=%z, input_dtype=torch.int8)
  %y: f32[s0, ${N}] = aten::linear(input=%x, weight=%d, bias=%b)
  return %y`);

async function compile(precision: "fast" | "exact", threads: number) {
  const backend = new WasmBackend(divided(threads));
  return await backend.compile({ program, weights: weightsOf(weights), registry, precision });
}

test("a weight of one byte for each element gives the results of the floats that it stands for, for any number of rows", async () => {
  for (const threads of [1, 3]) {
    const [fast, exact] = [await compile("fast", threads), await compile("exact", threads)];
    for (const rows of [1, 2, 3, 0, 13, 1]) {
      const x = hostTensor("float32", [rows, K], randomFloats(next, rows * K));
      const [[actual], [expected]] = (await Promise.all([fast.run([x]), exact.run([x])])) as [
        [HostTensor],
        [HostTensor],
      ];
      expect(actual.shape).toEqual([rows, N]);
      const values = ({ data }: HostTensor): Float64Array =>
        Float64Array.from(data as Float32Array, (value) => value / 1000);
      expect(worstError(values(actual), values(expected), RELATIVE), `${rows} rows`).toBeLessThan(1e-6);
    }
    expect((await fast.memory!()).weights).toBeLessThan(1.6 * N * K);
    expect((await exact.memory!()).weights).toBeGreaterThan(4 * N * K);
    await Promise.all([fast.dispose(), exact.dispose()]);
  }
});
