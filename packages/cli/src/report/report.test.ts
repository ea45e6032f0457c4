import { readFileSync } from "node:fs";
import { type Archive, fromBytes, openArchive } from "@pt2/format";
import { tensor } from "@pt2/runtime";
import { expect, it } from "vitest";
import { fixturePath } from "../fixtures.test-helper.ts";
import { describeModel, rangeText, sampleCall, summarize, timesByOp, timeText } from "../index.ts";

const archive = () => openArchive(fromBytes(readFileSync(fixturePath("torch-2.13/mlp.pt2"))));

it("describeModel reads no weights", async () => {
  const report = await describeModel(await archive(), "model");
  expect(report).toMatchObject({
    inputs: [{ name: "x", type: { dtype: "float32", shape: [5, 7] } }],
    weights: [{ kind: "parameter", dtype: "float32", tensors: 4, elements: 124, bytes: 496 }],
    nodes: 3,
    ops: [
      { op: "aten::linear", count: 2 },
      { op: "aten::relu", count: 1 },
    ],
  });
});

it("sampleCall returns the example call", async () => {
  const call = await sampleCall(await archive());
  expect(call).toMatchObject({ args: [{ dtype: "float32", shape: [5, 7] }], kwargs: {} });
});

it("sampleCall makes objects of instances of Python's classes", async () => {
  const sampleInputs: Archive["sampleInputs"] = async () => ({
    args: [],
    kwargs: [
      [
        "past",
        {
          kind: "object",
          className: "my.Cache",
          attributes: [
            ["device", { kind: "device", value: { type: "cpu", index: null } }],
            ["layer", { kind: "class", name: "my.Layer" }],
            [
              "ready",
              {
                kind: "dict",
                entries: [
                  [
                    { kind: "int", value: 0 },
                    { kind: "bool", value: true },
                  ],
                ],
              },
            ],
            [
              "layers",
              {
                kind: "list",
                items: [
                  { kind: "object", className: "my.Layer", attributes: [["keys", { kind: "none" }]] },
                  { kind: "object", className: "my.Layer", attributes: [["length", { kind: "int", value: 4 }]] },
                ],
              },
            ],
          ],
        },
      ],
    ],
  });
  const call = await sampleCall({ ...(await archive()), sampleInputs });
  expect(call).toEqual({
    args: [],
    kwargs: {
      past: { device: "cpu", layer: "my.Layer", ready: new Map([[0, true]]), layers: [{ keys: null }, { length: 4 }] },
    },
  });
});

it("summarize describes values", async () => {
  const leaf = { name: "y", value: "y", type: { kind: "float" } } as const;
  expect(await summarize(leaf, tensor("int64", [2, 2], [1, 2, 3, 6]))).toEqual({
    name: "y",
    type: "int64 [2, 2]",
    head: ["1", "2", "3", "6"],
    min: 1,
    max: 6,
    mean: 3,
  });
  expect(await summarize(leaf, null)).toMatchObject({ type: "None", head: ["None"], min: null });
  expect(await summarize(leaf, 1.5)).toMatchObject({ type: "float", head: ["1.5"], mean: null });
});

it("timesByOp adds up times, rangeText formats ranges", () => {
  const step = (op: string, ms: number) => ({ node: op, ops: [op], where: "", startMs: 0, ms });
  expect(timesByOp([step("a", 1), step("b", 4), step("a", 2)])).toEqual([
    { ops: "b", count: 1, ms: 4 },
    { ops: "a", count: 2, ms: 3 },
  ]);
  expect(rangeText({ min: 1, max: null })).toBe("at least 1");
  expect([0.0043, 0.25, 12.34, 456.7, 2500, 125_000].map(timeText)).toEqual([
    ...["4.30 µs", "0.250 ms", "12.3 ms", "457 ms", "2.50 s", "125 s"],
  ]);
});
