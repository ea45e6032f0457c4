import { expect, it } from "vitest";
import { program } from "../program.test-helper.ts";
import { printGraph } from "../text/print-program.ts";
import { validate } from "../validate/validate.ts";
import { aliasBuffers } from "./alias-buffers.ts";
import { testEffects } from "./functionalize/effects.test-helper.ts";
import { functionalize } from "./functionalize/functionalize.ts";

const weight = (id: string, shape: readonly number[], strides: readonly number[], storageOffset = 0) => ({
  dtype: "float32" as const,
  shape,
  strides,
  storageOffset,
  storage: { id },
});

const BODY = `
  buffer "a" = %a: f32[4]
  buffer "b" = %b: f32[2]
  user_input %x: f32[4]
  %add_: f32[4] = aten::add_.Tensor(%a, other=%x)
  %y: f32[2] = aten::mul.Tensor(%b, other=2)
  return %y`;

it("aliasBuffers makes a buffer inside another one a view of it", () => {
  const weights = new Map([
    ["a", weight("s", [4], [1])],
    ["b", weight("s", [2], [2], 1)],
  ]);
  const tied = aliasBuffers(program(BODY), weights);
  expect(tied.inputs).toHaveLength(2);
  expect(validate(tied)).toEqual([]);
  const functional = functionalize(tied, testEffects);
  expect(validate(functional)).toEqual([]);
  expect(printGraph(functional.graph)).toContain("aten::as_strided(%add_, size=[2], stride=[2], storage_offset=1)");
});

it("aliasBuffers keeps programs without writes, and buffers that share a storage without overlap", () => {
  const apart = new Map([
    ["a", weight("s", [4], [1])],
    ["b", weight("s", [2], [1], 4)],
  ]);
  const written = program(BODY);
  expect(aliasBuffers(written, apart)).toBe(written);
  const reads = program(BODY.replace("add_.Tensor", "add.Tensor"));
  expect(aliasBuffers(reads, new Map([...apart, ["b", weight("s", [2], [1])]]))).toBe(reads);
});

it("aliasBuffers rejects overlapping buffers of which none contains the others", () => {
  const weights = new Map([
    ["a", weight("s", [4], [1])],
    ["b", weight("s", [2], [1], 3)],
  ]);
  expect(() => aliasBuffers(program(BODY), weights)).toThrow(/share memory.*`a`, `b`/);
});
