// Bugs that programs for running exported models had: wrong inputs and outputs of a program.
import { tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { expectFixture, loadFixture } from "../fixture.ts";

it("a constant lifted from the code is not a user input", async () => {
  await using model = await loadFixture("torch-2.13/consts");
  expect(model.inputs.map(({ name }) => name)).toEqual(["x"]);
  await expectFixture("torch-2.13/consts");
});

it("parameters whose names differ only in dots, or begin with another name, are distinguished", async () => {
  await using model = await loadFixture("programs/collisions");
  expect(model.inputs.map(({ name }) => name)).toEqual(["x", "c_mask", "p_a"]);
  await expectFixture("programs/collisions");
  await expectFixture("programs/collisions_aten");
});

describe("inputs are checked before anything runs", () => {
  const x = tensor("float32", [5, 7], new Float32Array(35));

  it.each([
    ["too few", [], "runtime.input-missing", "x"],
    ["too many", [x, x], "runtime.call", "at most 1"],
    ["another dtype", [tensor("int64", [5, 7], new BigInt64Array(35))], "runtime.input-dtype", "float32"],
    ["another shape", [tensor("float32", [5, 6], new Float32Array(30))], "graph.input-shape", "[5, 7]"],
  ])("%s", async (_, inputs, code, text) => {
    await using model = await loadFixture("torch-2.13/mlp");
    await expect(model.forward(...inputs)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });
});

it("sizes that were left open at export may change from call to call", () => expectFixture("torch-2.13/dynamic"));

it("both branches of a condition run, each when it is taken", () => expectFixture("torch-2.13/cond"));

it("dicts, lists, tuples and keyword arguments keep their structure", async () => {
  await using model = await loadFixture("torch-2.13/trees");
  const tensorOf = (...values: readonly number[]) => tensor("float32", [3, 2], values.concat(values, values));
  const pair = { left: tensorOf(1, 2), right: [tensorOf(3, 4)] };
  const named = tensor("float32", [2], [5, 6]);
  const result = await model.forward<Record<string, unknown>>({ pair, named });
  expect(Object.keys(result).sort()).toEqual(["list", "named", "sum"]);
  expect(result.sum).toMatchObject({ shape: [3, 2], data: Float32Array.of(4, 6, 4, 6, 4, 6) });
  expect(result.named).toMatchObject({ data: Float32Array.of(4, 5) });
  expect(result.list).toHaveLength(2);
});

it("a buffer that the program writes is state, not an output", async () => {
  await using model = await loadFixture("torch-2.13/buffers");
  expect(model.outputs).toHaveLength(2);
  await expectFixture("torch-2.13/buffers");
  await expectFixture("torch-2.13/buffers_aten");
});
