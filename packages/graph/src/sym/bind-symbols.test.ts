import { describe, expect, it } from "vitest";
import type { Program, ValueType } from "../ir.ts";
import { bindSymbols, type GivenShape } from "./bind-symbols.ts";
import { toSymInt } from "./make-expr.ts";
import { parseSym } from "./parse-expr.ts";

function tensor(...shape: readonly string[]): ValueType {
  return {
    kind: "tensor",
    dtype: "float32",
    shape: shape.map((size) => toSymInt(parseSym(size))),
    strides: shape.map(() => 1),
    storageOffset: 0,
    device: { type: "cpu", index: null },
    requiresGrad: false,
  };
}

function program(values: Record<string, ValueType>, ranges: Record<string, readonly [number, number]> = {}): Program {
  return {
    graph: { inputs: Object.keys(values), nodes: [], outputs: [], values: new Map(Object.entries(values)) },
    inputs: Object.keys(values).map((value) => ({ kind: "user_input", value })),
    outputs: [],
    ranges: new Map(Object.entries(ranges).map(([text, [min, max]]) => [text, { min, max }])),
    inSpec: null,
    outSpec: null,
    namedTuples: new Map(),
    forwardArgs: [],
    dialect: "TRAINING",
    torchVersion: "2.13.0",
  };
}

const bind = (p: Program, given: Record<string, GivenShape>) =>
  Object.fromEntries(bindSymbols(p, new Map(Object.entries(given))));

describe("bindSymbols", () => {
  it("bindSymbols solves symbols and linear sizes in any order", () => {
    const p = program({
      x: tensor("2*s0", "s1 + 1", "s0*s1"),
      y: tensor("s0 + s2", "s3//2"),
      n: { kind: "symint", value: parseSym("s4") },
    });
    expect(bind(p, { x: [6, 5, 12], y: [10, 9], n: 8 })).toEqual({ s0: 3, s1: 4, s2: 7, s4: 8 });
  });

  it.each([
    [{ x: [6, 4] }, "`x` is [6, 4] but must be [2*s0, 3] (s0: 1 … 8): dimension 1 must be 3"],
    [{ x: [5, 3] }, "5 is not of the form 2*s0"],
    [{ x: [6, 3, 1] }, "it must have 2 dimensions, not 3"],
    [{ x: [18, 3] }, "s0 = 9 must be 1 … 8"],
    [{ x: [6, 3], y: [4] }, "dimension 0 must be 2*s0 = 8, because `y` has s0 = 4"],
  ] as [Record<string, GivenShape>, string][])("bindSymbols refuses %j", (given, message) => {
    const p = program({ x: tensor("2*s0", "3"), y: tensor("s0") }, { s0: [1, 8] });
    const expected = expect.objectContaining({ code: "graph.input-shape", message: expect.stringContaining(message) });
    expect(() => bind(p, given)).toThrow(expected);
  });

  it("bindSymbols ignores a lower bound of 2, which the export assumed, and checks a greater one", () => {
    const p = program({ x: tensor("s0", "s1") }, { s0: [2, 8], s1: [3, 8] });
    expect(bind(p, { x: [1, 3] })).toEqual({ s0: 1, s1: 3 });
    expect(() => bind(p, { x: [1, 2] })).toThrow(/s1 = 2 must be 3 … 8/);
  });

  it("bindSymbols names the input that determined a size", () => {
    const p = program({ x: tensor("s0"), y: tensor("s0") });
    expect(() => bind(p, { x: [3], y: [4] })).toThrow(/dimension 0 must be s0 = 3, because `x` has s0 = 3/);
    const labeled = () =>
      bindSymbols(
        p,
        new Map([
          ["x", [3]],
          ["y", [4]],
        ]),
        (name) => `pair.${name}`,
      );
    expect(labeled).toThrow(/`pair.y` is \[4\].*because `pair.x` has s0 = 3/);
  });
});
