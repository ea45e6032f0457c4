import { distance, randomExpression, samples } from "@pt2/conformance";
import { simplify } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runKernel, runReference } from "./group.test-helper.ts";

const FLOAT_FNS = ["add", "sub", "mul", "div", "min", "max", "fmod", "truncdiv"] as const;

test.each(Array.from({ length: 140 }, (_, i) => i + 1))(
  "seed %i: kernel, simplified kernel and evaluator agree",
  (seed) => {
    const random = randomUnit(seed);
    const { expr, dtypes } = randomExpression(seed, random, FLOAT_FNS);
    const strides = dtypes.map(() => [[1], [1], [0], [2]][Math.floor(random() * 4)] as readonly number[]);
    const operands = dtypes.map((dtype, i) => ({
      dtype,
      data: samples(dtype, 80, random),
      strides: strides[i] as readonly number[],
    }));
    const expected = runReference({ shape: [39], operands, outputs: [expr] })[0];
    for (const output of [expr, simplify(expr)]) {
      const actual = runKernel({ shape: [39], operands, outputs: [output] })[0];
      const wrong = expected?.flatMap((value, i) => {
        const got = actual?.[i] as typeof value;
        return distance(got, value, output.dtype) === 0 ? [] : [`element ${i}: ${got}, not ${value}`];
      });
      expect(wrong).toEqual([]);
    }
  },
);
