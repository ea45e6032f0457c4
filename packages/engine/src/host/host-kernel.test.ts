import { defineOp, type Scalar, type TensorMeta } from "@pt2/registry";
import { describe, expect, expectTypeOf, it } from "vitest";
import { hostKernel } from "./host-kernel.ts";

const scaled = defineOp("mine::scaled(Tensor self, float factor=1.0, Tensor? bias=None) -> Tensor");

describe("a host kernel knows the schemas of its ops", () => {
  it("a host kernel has the names of its ops, and takes all calls unless it says which", () => {
    const all = hostKernel(["aten::histc", scaled], () => []);
    expect(all.ops).toEqual(["aten::histc", "mine::scaled"]);
    expect(all.accepts?.({})).toBe(true);
    const some = hostKernel(
      ["aten::histc"],
      () => [],
      ({ bins }) => bins > 2,
    );
    expect(some.accepts?.({ bins: 2 })).toBe(false);
  });

  it("a host kernel's arguments have the types of the schema", () => {
    hostKernel(["aten::histc"], (_, args) => {
      expectTypeOf(args).toEqualTypeOf<{
        readonly self: TensorMeta;
        readonly bins: number;
        readonly min: Scalar;
        readonly max: Scalar;
      }>();
      return [];
    });
    hostKernel([scaled], (_, { self, factor, bias }) => {
      expectTypeOf(self).toEqualTypeOf<TensorMeta>();
      expectTypeOf(factor).toEqualTypeOf<number>();
      expectTypeOf(bias).toEqualTypeOf<TensorMeta | null>();
      return [];
    });
  });

  it("an argument of several ops has the types of all, and is undefined where an op lacks it", () => {
    hostKernel(["aten::kthvalue", "aten::_ctc_loss", "aten::_ctc_loss.Tensor"], (_, { k, input_lengths }) => {
      expectTypeOf(k).toEqualTypeOf<number | undefined>();
      expectTypeOf(input_lengths).toEqualTypeOf<TensorMeta | readonly number[] | undefined>();
      return [];
    });
  });

  it("a host kernel with a mistake in a name or a type does not compile", () => {
    // @ts-expect-error The op is misspelled.
    hostKernel(["aten::hisct"], () => []);
    // @ts-expect-error The argument is misspelled.
    hostKernel(["aten::histc"], (call, { slef }) => [call.array(slef).data]);
    // @ts-expect-error The record has no such argument.
    hostKernel([scaled], (_, { bins }) => [[bins]]);
    // @ts-expect-error A number is not a tensor.
    hostKernel(["aten::histc"], (call, { bins }) => [call.array(bins).data]);
  });
});
