import type { DType } from "@pt2/format";
import { type ScalarExpr, scalar as s, simplify, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { generator, samples } from "./samples.ts";
import { distance, runKernel, runReference } from "./testbed.ts";

// Only functions that are exact, so that errors do not grow along a tree; and no copysign, which shows the sign of a
// NaN: that of the hardware's is open, and JavaScript cannot tell it.
const FLOAT_FNS = ["add", "sub", "mul", "div", "min", "max", "fmod", "truncdiv"] as const;
const INT_FNS = ["add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"] as const;
const TESTS = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
const CASTS: readonly DType[] = [
  "int8",
  "uint8",
  "int16",
  "int32",
  "int64",
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "bool",
];

function tree(compute: DType, depth: number, random: () => number): ScalarExpr {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const below = (): ScalarExpr => tree(compute, depth - 1, random);
  if (depth === 0 || random() < 0.1)
    return random() < 0.75 ? s.input(Math.floor(random() * 3)) : s.lit(pick([0, 1, -1, 2, 5]));
  const kind = random();
  if (kind < 0.15) return s.select(s[pick(TESTS)](below(), below()), below(), below());
  if (kind < 0.3) return s.cast(pick(CASTS), below());
  if (kind < 0.4) return s[pick(["neg", "abs", "sign", "floor", "round"] as const)](below());
  return s[compute.startsWith("float") ? pick(FLOAT_FNS) : pick(INT_FNS)](below(), below());
}

function build(seed: number): {
  readonly expr: TypedExpr;
  readonly dtypes: readonly DType[];
  readonly random: () => number;
} {
  const random = generator(seed);
  const compute = (["float32", "float32", "float64", "int32", "int64", "int8", "uint8"] as const)[seed % 7] as DType;
  const dtypes = [compute, CASTS[Math.floor(random() * CASTS.length)] as DType, compute];
  const result = random() < 0.6 ? compute : (CASTS[Math.floor(random() * CASTS.length)] as DType);
  return { expr: typeExpr(tree(compute, 5, random), { compute, operands: dtypes, result }), dtypes, random };
}

test.each(Array.from({ length: 140 }, (_, i) => i + 1))(
  "seed %i: kernel, simplified kernel and evaluator agree",
  (seed) => {
    const { expr, dtypes, random } = build(seed);
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
