import { expect, test } from "vitest";
import { defineOp, type OpRecord } from "../op.ts";
import { resolveArgs } from "../resolve-args.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { argumentProblem } from "./check-arguments.ts";

const tensor = (dtype: "float16" | "float32" | "int64" | "complex64") => ({ dtype, shape: [2] });

const loss = defineOp("aten::loss(Tensor self, Tensor? weight, int reduction=1, Scalar value=1) -> Tensor", {
  requires: { same: ["self", "weight"] },
});

function problem(args: Readonly<Record<string, ArgValue>>, record: OpRecord = loss): string | null {
  return argumentProblem(record, resolveArgs(record.schema, { weight: null, ...args }));
}

test("an argument's name has one meaning in every op of PyTorch", () => {
  expect(problem({ self: tensor("float32") })).toBe(null);
  expect(problem({ self: tensor("float32"), reduction: 4 })).toBe("argument `reduction` must be one of 0, 1, 2, not 4");
  const other = defineOp("mylib::loss(Tensor self, Tensor? weight, int reduction=1, Scalar value=1) -> Tensor");
  expect(problem({ self: tensor("float32"), reduction: 4 }, other)).toBe(null);
});

test("a complex number is refused if no tensor is complex", () => {
  const value = { re: 1, im: 1 };
  expect(problem({ self: tensor("float32"), value })).toMatch(/`value` must be a real number/);
  expect(problem({ self: tensor("complex64"), value })).toBe(null);
});

test("a kind of dtypes that does not exist is named", () => {
  const requires = { kinds: { self: "floating" as "float" } };
  const record = defineOp("mylib::f(Tensor self) -> Tensor", { requires });
  const args = resolveArgs(record.schema, { self: tensor("float32") });
  expect(argumentProblem(record, args)).toBe("argument `self` must be floating, not float32");
});

test("tensors must have one dtype, but float32 is accepted with half precision", () => {
  expect(problem({ self: tensor("float32"), weight: tensor("int64") })).toMatch(/`weight` is int64, where `self` is/);
  expect(problem({ self: tensor("float16"), weight: tensor("float32") })).toBe(null);
});
