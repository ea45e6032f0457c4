import type { DType } from "@pt2/format";
import { defineOp, type TensorMeta } from "@pt2/registry";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type KernelCall, wasmKernel } from "./kernel.ts";

const blended = defineOp("mine::blended(Tensor self, Tensor[] others, float weight=0.5) -> Tensor");

function prepare(): void {}

describe("a kernel of wasm knows the schemas of its ops", () => {
  it("a kernel of wasm has the names of its ops, and all else as it was written", () => {
    const kernel = wasmKernel({
      ops: ["aten::softmax.int", blended],
      accepts: ({ self }) => self.shape.length > 0,
      prepare,
    });
    expect(kernel.ops).toEqual(["aten::softmax.int", "mine::blended"]);
    expect(kernel.accepts?.({ self: { dtype: "float32", shape: [] } })).toBe(false);
    expect(kernel.prepare).toBe(prepare);
  });

  it("arguments of a kernel of wasm have the types of the schema, in each of its functions", () => {
    wasmKernel({
      ops: ["aten::softmax.int"],
      accepts(args) {
        expectTypeOf(args).toEqualTypeOf<{
          readonly self: TensorMeta;
          readonly dim: number;
          readonly dtype: DType | null;
        }>();
        return true;
      },
      clamps({ dim }) {
        expectTypeOf(dim).toEqualTypeOf<number>();
        return false;
      },
      prepare(call, { self }) {
        expectTypeOf(call).toEqualTypeOf<KernelCall>();
        expectTypeOf(self).toEqualTypeOf<TensorMeta>();
      },
    });
    wasmKernel({
      ops: [blended],
      prepare(_, { others, weight }) {
        expectTypeOf(others).toEqualTypeOf<readonly TensorMeta[]>();
        expectTypeOf(weight).toEqualTypeOf<number>();
      },
    });
  });

  it("an argument that only some ops of a kernel of wasm have may be undefined", () => {
    wasmKernel({
      ops: ["aten::softmax.int", "aten::_softmax"],
      prepare(_, { dim, dtype, half_to_float }) {
        expectTypeOf(dim).toEqualTypeOf<number>();
        expectTypeOf(dtype).toEqualTypeOf<DType | null | undefined>();
        expectTypeOf(half_to_float).toEqualTypeOf<boolean | undefined>();
      },
    });
  });

  it("a kernel of wasm with a mistake in a name or a type does not compile", () => {
    // @ts-expect-error The op is misspelled.
    wasmKernel({ ops: ["aten::sofmax.int"], prepare });
    // @ts-expect-error The argument is misspelled.
    wasmKernel({ ops: ["aten::softmax.int"], accepts: ({ dmi }) => dmi === 0, prepare });
    // @ts-expect-error The record has no such argument.
    wasmKernel({ ops: [blended], prepare: (call, { other }) => call.tensor(other) });
    // @ts-expect-error A number is not a tensor.
    wasmKernel({ ops: ["aten::softmax.int"], prepare: (call, { dim }) => call.tensor(dim) });
  });
});
