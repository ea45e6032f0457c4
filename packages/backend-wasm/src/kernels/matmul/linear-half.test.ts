import type { HostTensor } from "@pt2/backend";
import { hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomUnit } from "@pt2/testing/random";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

const registry = registryOf([], libraries);
const next = randomUnit(4);
const [N, K] = [72, 46];

type Half = "float16" | "bfloat16";

/** Bits of halves between 2^-12 and 1, some of them negative. */
function bitsOf(dtype: Half, length: number): Uint16Array {
  const [least, one] = dtype === "float16" ? [0x0c00, 0x3c00] : [0x3980, 0x3f80];
  return Uint16Array.from({ length }, () => (least + Math.floor(next() * (one - least))) | (next() < 0.5 ? 0x8000 : 0));
}

const TEXTS: Readonly<Record<string, string>> = {
  linear: `%y: f16[s0, ${N}] = aten::linear(input=%x, weight=%w, bias=%b)`,
  mm: `%t: f16[${K}, ${N}] = aten::t(self=%w)
  %y: f16[s0, ${N}] = aten::mm(self=%x, mat2=%t)`,
  addmm: `%t: f16[${K}, ${N}] = aten::permute(self=%w, dims=[1, 0])
  %y: f16[s0, ${N}] = aten::addmm(self=%b, mat1=%x, mat2=%t)`,
  matmul: `%t: f16[${K}, ${N}] = aten::transpose.int(self=%w, dim0=0, dim1=1)
  %y: f16[s0, ${N}] = aten::matmul(self=%x, other=%t)`,
};

function program(dtype: Half, op: string) {
  return programOf(
    `
  parameter "w" = %w: f16[${N}, ${K}]
  parameter "b" = %b: f16[${N}]
  user_input %x: f16[s0, ${K}]
  ${TEXTS[op]}
  %r: f16[s0, ${N}] = aten::relu(self=%y)
  return %r`.replaceAll("f16", dtype === "float16" ? "f16" : "bf16"),
  );
}

/** The results in double precision. */
function expectedOf(x: HostTensor, w: HostTensor, b: HostTensor | null): Float64Array {
  const [rows, weight, bias] = [x.data, w.data, b?.data] as [Float32Array, Float32Array, Float32Array | undefined];
  const out = new Float64Array((rows.length / K) * N);
  for (let i = 0; i < out.length; i++) {
    const [m, n] = [Math.floor(i / N), i % N];
    let sum = bias?.[n] ?? 0;
    for (let k = 0; k < K; k++) sum += rows[m * K + k]! * weight[n * K + k]!;
    out[i] = Math.max(sum, 0);
  }
  return out;
}

describe.each(["float16", "bfloat16"] as const)("a weight of %s", (dtype) => {
  const weights = { w: hostTensor(dtype, [N, K], bitsOf(dtype, N * K)), b: hostTensor(dtype, [N], bitsOf(dtype, N)) };

  async function compile(op: string, threads = 1, precision: "fast" | "exact" = "fast") {
    const backend = new WasmBackend(divided(threads));
    return await backend.compile({ program: program(dtype, op), weights: weightsOf(weights), registry, precision });
  }

  test.each(Object.keys(TEXTS))(
    "is multiplied as it is in memory, by %s, for any number of rows and threads",
    async (op) => {
      const [alone, together] = [await compile(op), await compile(op, 3)];
      const bias = op === "linear" || op === "addmm" ? weights.b : null;
      for (const rows of [1, 2, 3, 0, 13, 72, 1]) {
        const x = hostTensor(dtype, [rows, K], bitsOf(dtype, rows * K));
        const [[one], [other]] = (await Promise.all([alone.run([x]), together.run([x])])) as [
          [HostTensor],
          [HostTensor],
        ];
        expect(one.shape).toEqual([rows, N]);
        expect(other).toEqual(one);
        const actual = Float64Array.from(one.data as Float32Array);
        const rounding = dtype === "float16" ? 2 ** -11 : 2 ** -8;
        expect(worstError(actual, expectedOf(x, weights.w, bias), RELATIVE), `${rows} rows`).toBeLessThan(rounding);
      }
      expect((await alone.memory!()).weights).toBeLessThan(2.2 * N * K);
      await Promise.all([alone.dispose(), together.dispose()]);
    },
  );

  test("is so in exact precision, too", async () => {
    const [fast, exact] = [await compile("linear"), await compile("linear", 1, "exact")];
    const x = hostTensor(dtype, [2, K], bitsOf(dtype, 2 * K));
    expect(await exact.run([x])).toEqual(await fast.run([x]));
    expect((await exact.memory!()).weights).toBeLessThan(2.2 * N * K);
    await Promise.all([fast.dispose(), exact.dispose()]);
  });

  test("may be infinite or no number", async () => {
    const [infinite, notNumber] = dtype === "float16" ? [0x7c00, 0x7e00] : [0x7f80, 0x7fc0];
    const bits = bitsOf(dtype, N * K);
    [bits[5], bits[K + 2], bits[2 * K]] = [infinite, infinite | 0x8000, notNumber];
    const w = hostTensor(dtype, [N, K], bits);
    const backend = new WasmBackend(divided(1));
    const given = { program: program(dtype, "linear"), weights: weightsOf({ ...weights, w }), registry };
    const model = await backend.compile({ ...given, precision: "fast" });
    const one = dtype === "float16" ? 0x3c00 : 0x3f80;
    for (const rows of [1, 2, 7]) {
      const x = hostTensor(dtype, [rows, K], new Uint16Array(rows * K).fill(one));
      const [{ data }] = (await model.run([x])) as [HostTensor];
      const first = Array.from((data as Float32Array).subarray(0, 4));
      expect(first.slice(0, 3)).toEqual([Number.POSITIVE_INFINITY, 0, Number.NaN]);
      expect(Number.isFinite(first[3])).toBe(true);
    }
    await model.dispose();
  });

  test("takes no more memory while it is loaded than it has", async () => {
    const [rows, columns] = [1024, 1024];
    const text = `
  parameter "w" = %w: f16[${rows}, ${columns}]
  user_input %x: f16[1, ${columns}]
  %y: f16[1, ${rows}] = aten::linear(input=%x, weight=%w)
  return %y`.replaceAll("f16", dtype === "float16" ? "f16" : "bf16");
    const large = weightsOf({ w: hostTensor(dtype, [rows, columns], bitsOf(dtype, rows * columns)) });
    const model = await new WasmBackend(divided(1)).compile({ program: programOf(text), weights: large, registry });
    await model.run([hostTensor(dtype, [1, columns], bitsOf(dtype, columns))]);
    expect((await model.memory!()).reserved).toBeLessThan(3 * rows * columns);
    await model.dispose();
  });
});
