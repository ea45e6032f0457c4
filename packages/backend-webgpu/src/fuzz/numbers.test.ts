import { type HostTensor, hostTensor } from "@pt2/backend";
import { failureOf, floats, ints, programOf, registryOf, run } from "@pt2/conformance";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const registry = registryOf();
const EDGES = [2147483647, -2147483648] as const;
const BEYOND = ["2147483648", "-2147483649", "9223372036854775807", "-9223372036854775808"] as const;
const row = floats([1, 1, 5], 3, 1, 4, 1, 5);
const weight = floats([1, 1, 1], 2);

await describeWithDevice("numbers of programs", (device) => {
  let backend: WebgpuBackend;
  beforeAll(async () => {
    backend = await webgpu({ device });
  });
  afterAll(() => backend.dispose());

  /** Returns the elements of a node's result. */
  async function resultOf(inputs: string, node: string, ...given: readonly HostTensor[]): Promise<unknown> {
    const program = programOf(`${inputs}\n %y: ${node}  # numbers (model.py:7, in forward)\n return %y`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    try {
      return (await run(executable, ...given))[0];
    } finally {
      await executable.dispose();
    }
  }
  const ofInts = (call: string): Promise<unknown> => resultOf("user_input %x: i64[2]", call, ints([2], 1, -1));

  test.each(EDGES)("%i is the largest integer that fits", async (edge) => {
    expect(await ofInts(`i64[2] = aten::bitwise_xor.Scalar(self=%x, other=${edge})`)).toEqual([1 ^ edge, -1 ^ edge]);
    expect(await resultOf("", `i64[2] = aten::full(size=[2], fill_value=${edge})`)).toEqual([edge, edge]);
    expect(await ofInts(`bool[2] = aten::ge.Scalar(self=%x, other=${edge})`)).toEqual(edge < 0 ? [1, 1] : [0, 0]);
  });

  test.each(BEYOND)("%s is refused where it matters, with the op and its line", async (number) => {
    const nodes = [
      `i64[2] = aten::bitwise_xor.Scalar(self=%x, other=${number})`,
      `i64[2] = aten::floor_divide.Scalar(self=%x, other=${number})`,
      `i64[2] = aten::full(size=[2], fill_value=${number})`,
    ];
    for (const node of nodes) {
      expect(await failureOf(ofInts(node))).toMatchObject({
        code: "webgpu.int64-range",
        what: expect.stringContaining(number),
        where: expect.stringMatching(/aten::\w+.*model\.py:7/),
      });
    }
    expect(await ofInts(`bool[2] = aten::eq.Scalar(self=%x, other=${number})`)).toEqual([0, 0]);
    const shown = Number(number);
    expect(await ofInts(`bool[2] = aten::lt.Scalar(self=%x, other=${number})`)).toEqual(shown > 0 ? [1, 1] : [0, 0]);
  });

  test.each(["2147483647", "2147483648", "9223372036854775807"])(
    "windows with steps of %s compute nothing outside of their input",
    async (step) => {
      const x = "user_input %x: f32[1, 1, 5]\n user_input %w: f32[1, 1, 1]";
      const conv = (args: string): Promise<unknown> =>
        resultOf(x, `f32[1, 1, 5] = aten::conv1d(input=%x, weight=%w, bias=none, ${args})`, row, weight);
      const pool = (op: string, args: string): Promise<unknown> =>
        resultOf("user_input %x: f32[1, 1, 5]", `f32[1, 1, 5] = aten::${op}(self=%x, ${args})`, row);
      expect(await conv(`stride=[${step}]`)).toEqual([6]);
      expect(await conv(`dilation=[${step}]`)).toEqual([6, 2, 8, 2, 10]);
      expect(await pool("max_pool1d", `kernel_size=[1], stride=[${step}]`)).toEqual([3]);
      expect(await pool("max_pool1d", `kernel_size=[1], stride=[1], padding=[0], dilation=[${step}]`)).toEqual([
        3, 1, 4, 1, 5,
      ]);
      expect(await pool("avg_pool1d", `kernel_size=[2], stride=[${step}]`)).toEqual([2]);
      for (const args of [`padding=[${step}]`, `groups=${step}`])
        expect(await failureOf(conv(args))).toMatchObject({ where: expect.stringContaining("model.py:7") });
      for (const args of [`kernel_size=[${step}]`, `kernel_size=[2], stride=[1], padding=[${step}]`])
        expect(await failureOf(pool("max_pool1d", args))).toMatchObject({ code: "registry.argument" });
    },
  );

  test("floats that WGSL has no literal for are computed", async () => {
    const of = async (call: string): Promise<unknown> =>
      resultOf("user_input %x: f32[3]", `f32[3] = aten::${call}`, floats([3], 1, -1, 0));
    const inf = Number.POSITIVE_INFINITY;
    expect(await of("add.Scalar(self=%x, other=inf)")).toEqual([inf, inf, inf]);
    expect(await of("mul.Scalar(self=%x, other=-inf)")).toEqual([-inf, inf, Number.NaN]);
    expect(await of("add.Scalar(self=%x, other=nan)")).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(await of("mul.Scalar(self=%x, other=1e39)")).toEqual([inf, -inf, Number.NaN]);
    expect(await of("mul.Scalar(self=%x, other=3.4028235e38)")).toEqual([
      ...[1, -1].map((v) => v * Math.fround(3.4028235e38)),
      0,
    ]);
  });

  test("float16 results that overflow are infinite", async () => {
    const x = hostTensor("float16", [2], Uint16Array.of(0x3c00, 0xbc00));
    expect(await resultOf("user_input %x: f16[2]", "f16[2] = aten::mul.Scalar(self=%x, other=70000.0)", x)).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  });

  test("shifts by more than the number of bits, and quotients by zero, are as on other GPUs", async () => {
    expect(await ofInts("i64[2] = aten::bitwise_left_shift.Tensor_Scalar(self=%x, other=64)")).toEqual([0, 0]);
    expect(await ofInts("i64[2] = aten::bitwise_right_shift.Tensor_Scalar(self=%x, other=64)")).toEqual([0, -1]);
    expect(await ofInts("i64[2] = aten::floor_divide.Scalar(self=%x, other=0)")).toEqual([-1, -1]);
    expect(await ofInts("i64[2] = aten::remainder.Scalar(self=%x, other=0)")).toEqual([1, -1]);
  });
});
