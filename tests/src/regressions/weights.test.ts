// Bugs that programs for running exported models had: how weights are read.
import { readWeights } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { expectFixture, fixturePath } from "../fixture.ts";

async function weightsOf(name: string): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for await (const [key, { dtype, shape, data }] of readWeights(fixturePath(`${name}.pt2`))) {
    found.set(key, { dtype, shape, data: [...data].map(Number) });
  }
  return found;
}

it("int64, float16 and bfloat16 weights keep their values", async () => {
  const weights = await weightsOf("torch-2.13/strides");
  expect(weights.get("ids")).toEqual({ dtype: "int64", shape: [3], data: [4, 2, 0] });
  expect(weights.get("i8")).toEqual({ dtype: "int8", shape: [5], data: [-3, 7, 100, -128, 127] });
  expect(weights.get("f16")).toMatchObject({ dtype: "float16", shape: [5] });
  expect(weights.get("bf")).toMatchObject({ dtype: "bfloat16", shape: [5] });
  await expectFixture("torch-2.13/strides");
});

it("the smallest and largest integers of every dtype survive", async () => {
  const weights = await weightsOf("programs/dtypes");
  expect(weights.get("int16")).toMatchObject({ data: [-(2 ** 15), 2 ** 15 - 1] });
  expect(weights.get("int32")).toMatchObject({ data: [-(2 ** 31), 2 ** 31 - 1] });
  for await (const [name, { data }] of readWeights(fixturePath("programs/dtypes.pt2"))) {
    if (name === "int64") expect(data).toEqual(BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n));
  }
});

it.each(["torch-2.6/strides", "torch-2.8/strides", "torch-2.13/strides_aten"])(
  "transposed weights, slices of one storage and tied weights are read through their strides: %s",
  (name) => expectFixture(name),
);
