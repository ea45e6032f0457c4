import { DTYPES, type DType } from "@pt2/format";
import { type ScalarExpr, type ScalarValue, scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { runOnDevice, runReference } from "./elementwise.test-helper.ts";
import { distance, generator, samples } from "./samples.test-helper.ts";

// Floats are small multiples of a half and stay exact, as a GPU's compiler may reorder sums and products. Products of
// sums would not, so they are of inputs only.
const FLOAT_FNS = ["add", "sub", "min", "max"] as const;
const INT_FNS = ["add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"] as const;
const BY_CONSTANT = ["floordiv", "truncdiv", "mod", "fmod"] as const;
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
  const float = DTYPES[compute].kind === "float";
  const leaf = (): ScalarExpr => s.input(Math.floor(random() * 3));
  if (depth === 0 || random() < 0.1) return random() < 0.75 ? leaf() : s.lit(pick([0, 1, -1, 2, 5]));
  const kind = random();
  if (kind < 0.15) return s.select(s[pick(TESTS)](below(), below()), below(), below());
  if (kind < 0.3) return s.cast(pick(CASTS), below());
  if (kind < 0.4) return s[pick(["neg", "abs", "sign", "floor", "round"] as const)](below());
  if (kind < 0.5) return s[pick(BY_CONSTANT)](below(), pick([1, 2, 3, 7]));
  if (float && kind < 0.6) return s.mul(leaf(), leaf());
  return s[float ? pick(FLOAT_FNS) : pick(INT_FNS)](below(), below());
}

interface Seeded {
  readonly expr: TypedExpr;
  readonly dtypes: readonly DType[];
  readonly random: () => number;
}

function build(seed: number): Seeded {
  const random = generator(seed);
  const compute = (["float32", "float32", "float64", "int32", "int64", "int8", "uint8"] as const)[seed % 7] as DType;
  const dtypes = [compute, CASTS[Math.floor(random() * CASTS.length)] as DType, compute];
  const result = random() < 0.6 ? compute : (CASTS[Math.floor(random() * CASTS.length)] as DType);
  return { expr: typeExpr(tree(compute, 5, random), { compute, operands: dtypes, result }), dtypes, random };
}

function data(dtype: DType, float: boolean, random: () => number): readonly ScalarValue[] {
  const halves = (): number => Math.floor(random() * 17 - 8) / (DTYPES[dtype].kind === "float" ? 2 : 1);
  if (!float || dtype === "bool")
    return samples(dtype, 80, random).map((value) => (Number.isFinite(value) || typeof value !== "number" ? value : 1));
  return Array.from({ length: 80 }, () =>
    dtype === "int64" ? BigInt(halves()) : dtype === "uint8" ? Math.abs(halves()) : halves(),
  );
}

await describeWithDevice("random expressions", (device) => {
  test.each(Array.from({ length: 70 }, (_, i) => i + 1))("seed %i", async (seed) => {
    const { expr, dtypes, random } = build(seed);
    const float = seed % 7 < 3;
    const operands = dtypes.map((dtype) => ({
      dtype,
      data: data(dtype, float, random),
      strides: [[1], [1], [0], [2]][Math.floor(random() * 4)] as readonly number[],
      offset: 0,
    }));
    const kernel = { shape: [seed % 2 ? 39 : 40], operands, expr };
    const actual = await runOnDevice(device, kernel);
    const wrong = runReference(kernel).flatMap((value, i) => {
      const got = actual[i] as ScalarValue;
      return distance(got, value, expr.dtype) === 0 ? [] : [`element ${i}: ${got}, not ${value}`];
    });
    expect(wrong).toEqual([]);
  });
});
