import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rand, randn } from "./random.ts";

interface Row {
  readonly seed: number;
  readonly make: "rand" | "randn";
  readonly numbers: readonly number[];
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL("./random.golden.json", import.meta.url), "utf8"));

it.each(rows.map((row) => [row.make, row.numbers.length, row.seed, row] as const))(
  "%s makes the %i numbers that PyTorch makes after the seed %i",
  (make, count, seed, { numbers }) => {
    const made = { rand, randn }[make]([count], { seed });
    // PyTorch's vectorized logarithm and sine differ from JavaScript's in the last place.
    const tolerance = make === "rand" ? 0 : 1e-6;
    for (const [i, number] of made.data.entries()) {
      expect(Math.abs(number - numbers[i]!)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(number)));
    }
  },
);

it("other dtypes have the same numbers, rounded", () => {
  expect(randn([3], { seed: 0, dtype: "float64" }).toFloat32()).toEqual(randn([3], { seed: 0 }).data);
  expect(rand([2, 2], { seed: 0, dtype: "float16" }).dtype).toBe("float16");
});

it.each([undefined, {}, { seed: -1 }, { seed: 0.5 }, { seed: 2 ** 32 }])("%j has no seed", (options) => {
  expect(() => randn([2], options as { seed: number })).toThrow(expect.objectContaining({ code: "runtime.tensor" }));
});
