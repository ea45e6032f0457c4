import { samples } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { dense, runDispatch, runOnDevice, runReference, type TestOperand } from "./elementwise.test-helper.ts";
import { elementwiseDispatch } from "./elementwise.ts";
import { coalesce, formOf, type Walk } from "./elementwise-geometry.ts";

const rules = (...operands: readonly DType[]) => ({
  compute: operands[0] as DType,
  operands,
  result: operands[0] as DType,
});
const difference = (dtype: DType): TypedExpr => typeExpr(s.sub(s.input(0), s.input(1)), rules(dtype, dtype));

/** Makes an operand whose elements are few enough to be exact in every float. */
function operand(dtype: DType, shape: readonly number[], walk: Walk, seed: number): TestOperand {
  const random = randomUnit(seed);
  const length =
    walk.offset + shape.reduce((at, size, d) => at + Math.max(size - 1, 0) * (walk.strides[d] as number), 1);
  const data = Array.from({ length }, () => Math.floor(random() * 200 - 100));
  return { dtype, data: dtype === "int64" ? data.map(BigInt) : data, ...walk };
}

const at = (strides: readonly number[], offset = 0): Walk => ({ strides, offset });

const cases: Readonly<
  Record<
    string,
    {
      readonly shape: readonly number[];
      readonly x: Walk;
      readonly y: Walk;
      readonly output?: Walk;
      readonly form: string;
    }
  >
> = {
  "flat vectors": { shape: [4, 33], x: at([33, 1]), y: at([33, 1]), form: "1x4 dense dense dense" },
  "a flat odd size": { shape: [7, 3], x: at([3, 1]), y: at([3, 1]), form: "1x1 dense dense dense" },
  "a scalar operand": { shape: [6, 4], x: at([4, 1]), y: at([0, 0], 3), form: "1x4 dense scalar dense" },
  "a transposed operand": { shape: [5, 8], x: at([1, 5]), y: at([8, 1]), form: "2x4 strided dense dense" },
  "a transposed operand of tiles": {
    shape: [12, 8],
    x: at([1, 12], 4),
    y: at([8, 1]),
    form: "2x4 transposed along 0 transposed row row",
  },
  "tiles in three dimensions, and a bias": {
    shape: [3, 8, 20],
    x: at([160, 1, 8]),
    y: at([0, 1, 0]),
    form: "3x4 transposed along 1 transposed column row",
  },
  "tiles, and another order": {
    shape: [4, 3, 8],
    x: at([1, 4, 12]),
    y: at([24, 1, 3]),
    form: "3x4 transposed along 0 transposed strided row",
  },
  "an odd transposed operand": { shape: [7, 5], x: at([1, 7]), y: at([5, 1]), form: "2x1 strided dense dense" },
  "a bias for columns": { shape: [5, 12], x: at([12, 1]), y: at([0, 1]), form: "2x4 dense row dense" },
  "a bias for rows": {
    shape: [2, 3, 4, 5],
    x: at([60, 20, 5, 1]),
    y: at([0, 1, 0, 0]),
    form: "3x4 dense column dense",
  },
  "a misaligned operand": { shape: [4, 4], x: at([4, 1], 2), y: at([4, 1], 4), form: "1x4 strided dense dense" },
  "a bias for odd rows": {
    shape: [2, 6, 7],
    x: at([42, 7, 1]),
    y: at([0, 1, 0]),
    form: "3x4 ragged dense strided dense",
  },
  "misaligned rows": { shape: [4, 8], x: at([9, 1]), y: at([12, 1]), form: "2x4 strided row dense" },
  "channels last": {
    shape: [2, 4, 3, 5],
    x: at([60, 1, 20, 4]),
    y: at([60, 1, 20, 4]),
    output: at([60, 1, 20, 4]),
    form: "1x4 dense dense dense",
  },
  "a part of the output": {
    shape: [3, 4],
    x: at([4, 1]),
    y: at([4, 1]),
    output: at([12, 1], 4),
    form: "2x4 dense dense row",
  },
  "a misaligned part of the output": {
    shape: [3, 4],
    x: at([4, 1]),
    y: at([4, 1]),
    output: at([9, 1], 5),
    form: "2x1 dense dense row",
  },
  "steps in the output": {
    shape: [3, 4],
    x: at([4, 1]),
    y: at([0, 1]),
    output: at([1, 3]),
    form: "2x4 ragged strided strided dense",
  },
  "every other element": {
    shape: [2, 3, 2],
    x: at([12, 4, 2]),
    y: at([6, 2, 1]),
    output: at([13, 4, 2]),
    form: "2x1 strided dense strided",
  },
  "five dimensions": {
    shape: [2, 3, 2, 3, 4],
    x: at([3, 6, 100, 18, 2]),
    y: at([72, 24, 12, 4, 1]),
    form: "5x4 strided dense dense",
  },
  "one element": { shape: [1, 1], x: at([0, 0]), y: at([3, 1]), form: "1x1 dense dense dense" },
  "no dimension": { shape: [], x: at([]), y: at([], 2), form: "1x1 dense dense dense" },
  "no element": { shape: [0, 4], x: at([4, 1]), y: at([0, 1]), form: "2x4 dense row dense" },
};

for (const features of ["all", "none"] as const) {
  await describeWithDevice(
    `elementwise kernels with ${features} of the optional features`,
    (device) => {
      const dtypes: readonly DType[] = features === "all" ? ["float32", "float16", "int64"] : ["float16"];
      const list = dtypes.flatMap((dtype) => Object.keys(cases).map((name) => [dtype, name] as const));
      test.each(list)("%s: %s", async (dtype, name) => {
        const { shape, x, y, output, form } = cases[name]!;
        const walks = [x, y, output ?? dense(shape)];
        const { rank, vector, ragged, transposed, modes } = formOf(coalesce({ shape, walks }));
        expect(
          `${rank}x${vector}${ragged ? " ragged" : ""}${transposed === null ? "" : ` transposed along ${transposed}`} ${modes.join(" ")}`,
        ).toBe(form);
        const operands = [operand(dtype, shape, x, 1), operand(dtype, shape, y, 2)];
        const kernel = { shape, operands, expr: difference(dtype), ...(output ? { output } : {}) };
        expect((await runOnDevice(device, kernel)).map(Number)).toEqual(runReference(kernel).map(Number));
      });

      test("float16 and bfloat16 are rounded where they are stored", async () => {
        for (const dtype of ["float16", "bfloat16"] as const) {
          const data = samples("float32", 300, randomUnit(5), { narrow: true });
          const expr = typeExpr(s.mul(s.input(0), 1.0001), {
            compute: "float32",
            operands: ["float32"],
            result: dtype,
          });
          const kernel = {
            shape: [300],
            operands: [{ dtype: "float32" as const, data, strides: [1], offset: 0 }],
            expr,
          };
          const [actual, expected] = [await runOnDevice(device, kernel), runReference(kernel)];
          expect(actual.filter((value, i) => value !== expected[i] && !Number.isNaN(value))).toEqual([]);
        }
      });
    },
    features,
  );
}

await describeWithDevice("elementwise kernels", (device) => {
  const features = { f16: device.features.has("shader-f16"), maxWorkgroups: 65535 };

  test("sizes that have the same form share one text", () => {
    const code = (shape: readonly number[], stride: number): string =>
      elementwiseDispatch(
        difference("float32"),
        ["float32", "float32"],
        { shape, walks: [dense(shape), at([0, stride], 7), dense(shape)] },
        features,
      ).code;
    expect(code([3, 8], 3)).toBe(code([500, 64], 5));
    expect(code([3, 8], 3)).not.toBe(code([3, 7], 3));
  });

  test("a kernel may have more workgroups than one dimension allows", async () => {
    const count = 1003;
    const expr = typeExpr(s.add(s.input(0), 1), rules("int32"));
    const geometry = { shape: [count], walks: [at([1]), at([1])] };
    const dispatch = elementwiseDispatch(expr, ["int32"], geometry, { ...features, maxWorkgroups: 3 });
    expect(dispatch.workgroups).toEqual([2, 2, 1]);
    const input = Int32Array.from({ length: count }, (_, i) => i);
    const output = await runDispatch(device, dispatch, [new Uint8Array(input.buffer)], count * 4);
    expect(new Int32Array(output.buffer)).toEqual(input.map((value) => value + 1));
  });
});
