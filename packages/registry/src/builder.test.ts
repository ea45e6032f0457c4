import { describe, expectTypeOf, it } from "vitest";
import type { Builder } from "./builder.ts";
import { defineOp } from "./op.ts";
import type { Scalar, TensorMeta } from "./tensor-meta.ts";

const twice = defineOp("mylib::twice(Tensor self, int times=2) -> (Tensor, Tensor[])");

/** This function is never called: the test is that it compiles. */
function calls(b: Builder, x: TensorMeta, found: string): void {
  expectTypeOf(b.tensor("aten::softplus", { self: x, beta: { float: 2 } })).toEqualTypeOf<TensorMeta>();
  expectTypeOf(b.call("aten::linalg_qr", { A: x })).toEqualTypeOf<readonly [TensorMeta, TensorMeta]>();
  expectTypeOf(b.call("aten::split.Tensor", { self: x, split_size: 2 })).toEqualTypeOf<
    readonly [readonly TensorMeta[]]
  >();
  expectTypeOf(b.call("aten::item", { self: x })).toEqualTypeOf<readonly [Scalar]>();
  expectTypeOf(b.call(twice, { self: x })).toEqualTypeOf<readonly [TensorMeta, readonly TensorMeta[]]>();
  expectTypeOf(b.tensor(found, { anything: 1 })).toEqualTypeOf<TensorMeta>();
  // A number is accepted for a tensor, and for a list of fixed length.
  b.tensor("aten::add.Tensor", { self: 1, other: x, alpha: 2 });
  b.tensor("aten::avg_pool2d", { self: x, kernel_size: 3 });
  b.call("aten::copy_", { self: x, src: x });

  // @ts-expect-error The op is misspelled.
  b.tensor("aten::sofplus", { self: x });
  // @ts-expect-error An argument is misspelled.
  b.tensor("aten::softplus", { self: x, betta: 2 });
  // @ts-expect-error An argument has another type.
  b.tensor("aten::softplus", { self: "x" });
  // @ts-expect-error An argument without a default is missing.
  b.tensor("aten::mm", { self: x });
  // @ts-expect-error PyTorch has the op, and no record says what it means.
  b.tensor("aten::_cudnn_init_dropout_state", { dropout: 0.5, train: true, dropout_seed: 1 });
  // @ts-expect-error The op has one result.
  b.call("aten::relu", { self: x })[1];
  // @ts-expect-error The record has no such argument.
  b.tensor(twice, { self: x, factor: 2 });
}

describe("a builder knows the schemas of the ops that rules call", () => {
  it("a builder's calls are checked by the compiler: names, arguments and results", () => {
    expectTypeOf(calls).toBeFunction();
  });
});
