import { expect, test } from "vitest";
import { parseSchema } from "../schema/parse.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { wrapNumber } from "../wrapped.ts";
import { callArgs } from "./ir-args.ts";

const schema = parseSchema(
  "my::f(Tensor? other=None, Scalar? alpha=None, float? eps=None, SymInt? end=None) -> Tensor",
);
const names = { knows: () => false, nameOf: () => "x" };

test.each<[string, ArgValue, unknown]>([
  ["alpha", 1e30, { kind: "float", value: 1e30 }],
  ["alpha", -(2 ** 63), { kind: "int", value: -(2 ** 63) }],
  ["alpha", 2 ** 60, { kind: "int", value: 2 ** 60 }],
  ["alpha", 0.5, { kind: "float", value: 0.5 }],
  ["other", wrapNumber(1e30), { kind: "float", value: 1e30 }],
  ["eps", 1e30, { kind: "float", value: 1e30 }],
  ["end", 2 ** 53, { kind: "int", value: 2n ** 63n - 1n }],
  ["end", -(2 ** 53), { kind: "int", value: -(2n ** 63n) }],
])("`%s` of %j: only ints of the schema are saturated", (name, value, arg) => {
  expect(callArgs(schema, { [name]: value }, names)).toEqual([{ name, arg }]);
});
