import { expect, test } from "vitest";
import { aten } from "./aten/aten-ops.ts";
import { Emitter } from "./lower/emit.ts";
import type { ArgValue } from "./tensor-meta.ts";
import { createRegistry } from "./user-ops/create-registry.ts";

const registry = createRegistry({ sets: [aten] });
const node = { name: "n", op: "n", args: [], outputs: [], origin: {} };
const target = { name: "test", isNative: () => false };

function emit(op: string, args: Readonly<Record<string, ArgValue>>): readonly ArgValue[] {
  return new Emitter(registry, target).emit(op, args, node);
}

const DTYPES = ["uint16", "uint32", "uint64"] as const;

test.each(DTYPES)("%s is refused where PyTorch has no kernel for it", (dtype) => {
  const self = { dtype, shape: [3], name: "x" } as ArgValue;
  const number = { dtype: "int64", shape: [3], name: "y" } as ArgValue;
  for (const op of ["add.Tensor", "sub.Tensor", "lt.Tensor", "maximum", "fmod.Tensor", "bitwise_left_shift.Tensor"]) {
    expect(() => emit(`aten::${op}`, { self, other: self })).toThrow(`is not supported on ${dtype} tensors`);
  }
  for (const op of ["neg", "abs", "sign", "bitwise_not", "relu"]) {
    expect(() => emit(`aten::${op}`, { self })).toThrow(`is not supported on ${dtype} tensors`);
  }
  expect(() => emit("aten::mul.Tensor", { self, other: number })).toThrow(`Promotion of ${dtype} and int64`);
  expect(() => emit("aten::topk", { self, k: 2 })).toThrow("for such integers; convert them to int64");
  expect(() => emit("aten::sum", { self, dtype })).toThrow("for such integers; convert them to int64");
});

test.each(DTYPES)("%s is computed with where PyTorch does", (dtype) => {
  const self = { dtype, shape: [3], name: "x" } as ArgValue;
  for (const op of ["mul.Tensor", "bitwise_and.Tensor"]) {
    expect(emit(`aten::${op}`, { self, other: self })).toMatchObject([{ dtype }]);
  }
  expect(emit("aten::eq.Tensor", { self, other: self })).toMatchObject([{ dtype: "bool" }]);
  expect(emit("aten::mul.Tensor", { self, other: { float: 1.5 } })).toMatchObject([{ dtype: "float32" }]);
  expect(emit("aten::sqrt", { self })).toMatchObject([{ dtype: "float32" }]);
  expect(emit("aten::_to_copy", { self, dtype: "int32" })).toMatchObject([{ dtype: "int32" }]);
});
