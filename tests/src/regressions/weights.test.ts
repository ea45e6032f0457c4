// Bugs that programs for running exported models had: how weights are read.
import { wasm } from "@pt2/backend-wasm/node";
import { archiveToBytes, fromBytes, openArchive, type WeightTensor } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram } from "@pt2/graph";
import { load, readWeights } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { expectFixture, fixturePath, readCalls } from "../fixture.ts";

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

it("weights of several archives are told apart, although entries of both have one name", async () => {
  const first = await openArchive(await fromFile(fixturePath("torch-2.13/mlp.pt2")));
  const [program, weights] = [await first.program(), await first.weights()];
  // Each weight is the first one of its archive.
  const apart: WeightTensor[] = [];
  for (const [name, weight] of weights) {
    const bytes = await archiveToBytes({ models: [{ program, weights: new Map([[name, weight]]) }] });
    apart.push(...(await (await openArchive(fromBytes(bytes))).weights()).values());
  }
  expect(new Set(apart.map(({ storage }) => storage.entry)).size).toBe(1);
  const mixed = new Map(apart.map((weight) => [weight.name, weight]));
  const again = await archiveToBytes({ models: [{ program, weights: mixed }] });
  const { inputs } = (await readCalls(fixturePath("torch-2.13/mlp")))[0]!;
  const results: unknown[] = [];
  for (const source of [
    { program: importProgram(program), weights },
    { program: importProgram(program), weights: mixed },
    again,
  ]) {
    await using model = await load(source, { backend: wasm() });
    results.push(await model.run({ leaves: inputs }));
  }
  await first.close();
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
