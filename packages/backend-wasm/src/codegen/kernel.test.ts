import { type Operand, samples } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { numel, reachOf } from "@pt2/format";
import { keyOf, type ScalarExpr, scalar as s, simplify, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, test, vi } from "vitest";
import { createElementwiseCompiler } from "./compiler.ts";
import { blockBytes, coalesce, innerModes, newBlock, writeBlock } from "./geometry.ts";
import { runKernel, runReference } from "./group.test-helper.ts";

const random = randomUnit(11);
const [x, y, z] = [s.input(0), s.input(1), s.input(2)];

function operand(dtype: DType, shape: readonly number[], strides: readonly number[]): Operand {
  const { last } = reachOf({ shape, strides, offset: 0 });
  return { dtype, strides, data: samples(dtype, last + 1, random) };
}

const f32 = (expr: ScalarExpr, operands = 3): TypedExpr =>
  typeExpr(expr, {
    compute: "float32",
    operands: Array.from({ length: operands }, () => "float32"),
    result: "float32",
  });

const affine = f32(s.add(s.mul(x, y), z));

describe("iteration spaces", () => {
  const cases: Readonly<
    Record<
      string,
      {
        readonly shape: readonly number[];
        readonly strides: readonly (readonly number[])[];
        readonly output?: readonly number[];
      }
    >
  > = {
    "one element": { shape: [], strides: [[], [], []] },
    flat: {
      shape: [3, 7, 11],
      strides: [
        [77, 11, 1],
        [77, 11, 1],
        [77, 11, 1],
      ],
    },
    "bias over channels": {
      shape: [2, 5, 37],
      strides: [
        [185, 37, 1],
        [0, 1, 0],
        [0, 0, 0],
      ],
    },
    "bias over the last": {
      shape: [13, 29],
      strides: [
        [29, 1],
        [0, 1],
        [1, 0],
      ],
    },
    transposed: {
      shape: [17, 19],
      strides: [
        [1, 17],
        [19, 1],
        [0, 0],
      ],
    },
    "every second": {
      shape: [5, 23],
      strides: [
        [46, 2],
        [23, 1],
        [100, 3],
      ],
    },
    "channels last": {
      shape: [2, 3, 5, 7],
      strides: [
        [105, 1, 21, 3],
        [105, 1, 21, 3],
        [0, 1, 0, 0],
      ],
      output: [105, 1, 21, 3],
    },
    "rank five, nothing merges": {
      shape: [2, 3, 2, 5, 3],
      strides: [
        [1, 2, 6, 12, 60],
        [90, 30, 15, 3, 1],
        [0, 5, 0, 1, 0],
      ],
    },
    "rows of one": {
      shape: [29, 1],
      strides: [
        [3, 1],
        [1, 1],
        [0, 1],
      ],
    },
  };
  test.each(Object.entries(cases))("%s", (_, { shape, strides, output }) => {
    const operands = strides.map((of) => operand("float32", shape, of));
    const group = { shape, operands, outputs: [affine], ...(output && { outputStrides: output }) };
    const expected = runReference(group);
    expect(runKernel(group)).toEqual(expected);
    const count = numel(shape);
    const pieces = count < 12 ? [count] : [1, 2, 7, 0, count - 10];
    if (!output) expect(runKernel({ ...group, pieces })).toEqual(expected);
  });

  test("an empty range reads and writes nothing", () => {
    expect(runKernel({ shape: [0], operands: [operand("float32", [1], [1])], outputs: [f32(s.exp(x), 1)] })).toEqual([
      [],
    ]);
  });
});

describe("coalesce", () => {
  test("coalesce merges dimensions that every operand crosses in one stride, in the output's order", () => {
    expect(
      coalesce(
        [2, 3, 5, 7],
        [
          [105, 1, 21, 3],
          [0, 1, 0, 0],
          [105, 1, 21, 3],
        ],
        2,
      ),
    ).toEqual({
      shape: [70, 3],
      strides: [
        [3, 1],
        [0, 1],
        [3, 1],
      ],
    });
  });
  test("coalesce keeps one dimension for a scalar", () => {
    const geometry = coalesce(
      [1, 1],
      [
        [1, 1],
        [0, 0],
      ],
      1,
    );
    expect(geometry).toEqual({ shape: [1], strides: [[1], [1]] });
    expect(innerModes(geometry, ["float32", "float32"])).toEqual(["unit", "unit"]);
  });
});

test("dtypes mix, and several outputs share common subexpressions", () => {
  const [shape, strides] = [[37], [1]];
  const operands = (["uint8", "int64", "float16"] as const).map((dtype) => operand(dtype, shape, strides));
  const rules = { compute: "float32" as const, operands: operands.map(({ dtype }) => dtype) };
  const sum = s.add(s.mul(x, 2), z);
  const outputs = [
    typeExpr(sum, { ...rules, result: "float32" }),
    typeExpr(s.gt(sum, y), { ...rules, result: "bool" }),
    typeExpr(s.floor(sum), { ...rules, result: "int32" }),
    typeExpr(sum, { ...rules, result: "float16" }),
    typeExpr(s.lit(2.5), { ...rules, result: "float64" }),
  ];
  const group = { shape, operands, outputs };
  expect(runKernel(group)).toEqual(runReference(group));
});

describe("the compiler", () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const spec = {
    inputs: ["float32"] as const,
    outputs: [f32(s.relu(x), 1)],
    inner: ["unit", "unit"] as const,
    numbers: [],
  };
  const run = (
    kernel: ReturnType<ReturnType<typeof createElementwiseCompiler>["add"]>,
    values: readonly number[],
  ): number[] => {
    const geometry = coalesce([values.length], [[1], [1]], 1);
    new Float32Array(memory.buffer, 256).set(values);
    expect(blockBytes(geometry, 0)).toBeLessThanOrEqual(192);
    // The output has the input's memory.
    writeBlock(new Int32Array(memory.buffer), 64, newBlock(geometry, ["float32", "float32"], []), [256, 256]);
    kernel.run(64, 0, values.length);
    return [...new Float32Array(memory.buffer, 256, values.length)];
  };

  test("the compiler makes one kernel of equal groups, before and after a build, and the kernel works in place", async () => {
    const compiler = createElementwiseCompiler(memory);
    const kernel = compiler.add(spec);
    expect(compiler.add({ ...spec, outputs: [f32(s.relu(x), 1)] })).toBe(kernel);
    await compiler.buildAsync();
    const negated = compiler.add({ ...spec, outputs: [f32(s.neg(x), 1)] });
    compiler.build();
    expect(compiler.add(spec)).toBe(kernel);
    expect(run(kernel, [-1, 2, -3, 4, 5, -6, 7])).toEqual([0, 2, 0, 4, 5, 0, 7]);
    expect(
      run(
        negated,
        Array.from({ length: 35 }, (_, i) => i + 1),
      ),
    ).toEqual(Array.from({ length: 35 }, (_, i) => -i - 1));
  });

  // WebKit may forget to wake a worker that waits for it.
  test("only the thread of a page waits for code that is compiled in the background", async () => {
    const background = vi.spyOn(WebAssembly, "instantiate");
    const build = async (): Promise<void> => {
      const compiler = createElementwiseCompiler(memory);
      const kernel = compiler.add(spec);
      await compiler.buildAsync();
      expect(run(kernel, [-1, 2])).toEqual([0, 2]);
    };
    try {
      await build();
      expect(background).not.toHaveBeenCalled();
      vi.stubGlobal("document", {});
      await build();
      expect(background).toHaveBeenCalledOnce();
    } finally {
      vi.unstubAllGlobals();
      background.mockRestore();
    }
  });

  test("the compiler's kernels report a division by zero", () => {
    const rules = { compute: "int32", operands: ["int32"], result: "int32" } as const;
    const kernel = createElementwiseCompiler(memory).add({
      ...spec,
      inputs: ["int32"],
      outputs: [typeExpr(s.floordiv(1, x), rules)],
    });
    expect(() => run(kernel, [0])).toThrow(expect.objectContaining({ code: "wasm.divide-by-zero" }));
  });

  test("the compiler refuses dtypes that it does not support", () => {
    const rules = { compute: "complex64", operands: ["complex64"], result: "complex64" } as const;
    const add = (): unknown =>
      createElementwiseCompiler(memory).add({ ...spec, inputs: ["complex64"], outputs: [typeExpr(x, rules)] });
    expect(add).toThrow(expect.objectContaining({ code: "wasm.elementwise-dtype" }));
  });

  test("the compiler accepts a shared memory", () => {
    const shared = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
    expect(() => createElementwiseCompiler(shared).add(spec).run(0, 0, 0)).not.toThrow();
  });
});

test("keys do not depend on sharing", () => {
  const shared = s.exp(x);
  expect(keyOf(simplify(f32(s.add(shared, shared), 1)))).toBe(keyOf(simplify(f32(s.add(s.exp(x), s.exp(x)), 1))));
});
