import { defineOp, type TensorMeta } from "@pt2/registry";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type KernelCall, webgpuKernel } from "./kernel.ts";

const sharpened = defineOp("mine::sharpened(Tensor image, int[2] radius=1, str? mode=None) -> Tensor");

function prepare(): void {}

describe("a kernel of WebGPU knows the schemas of its ops", () => {
  it("a kernel of WebGPU has the names of its ops, and all else as it was written", () => {
    const kernel = webgpuKernel({
      ops: ["aten::cumsum", sharpened],
      complex: true,
      fuses: ({ dim }) => dim === 0,
      prepare,
    });
    expect(kernel).toMatchObject({ ops: ["aten::cumsum", "mine::sharpened"], complex: true, prepare });
    expect(typeof kernel.fuses === "function" && kernel.fuses({ dim: 0 })).toBe(true);
  });

  it("arguments of a kernel of WebGPU have the types of the schema, in each of its functions", () => {
    webgpuKernel({
      ops: ["aten::convolution"],
      accepts: ({ transposed }) => {
        expectTypeOf(transposed).toEqualTypeOf<boolean>();
        return true;
      },
      fuses: ({ stride }) => {
        expectTypeOf(stride).toEqualTypeOf<readonly number[]>();
        return false;
      },
      prepare: (call, { input, bias }) => {
        expectTypeOf(call).toEqualTypeOf<KernelCall>();
        expectTypeOf(input).toEqualTypeOf<TensorMeta>();
        expectTypeOf(bias).toEqualTypeOf<TensorMeta | null>();
      },
    });
    webgpuKernel({
      ops: [sharpened],
      prepare: (_, args) => {
        expectTypeOf(args).toEqualTypeOf<{
          readonly image: TensorMeta;
          readonly radius: readonly number[];
          readonly mode: string | null;
        }>();
      },
    });
  });

  it("an argument that only some ops of a kernel of WebGPU have may be undefined", () => {
    webgpuKernel({
      ops: ["aten::cumsum", "aten::logcumsumexp", sharpened],
      prepare: (_, { self, dim, radius }) => {
        expectTypeOf(self).toEqualTypeOf<TensorMeta | undefined>();
        expectTypeOf(dim).toEqualTypeOf<number | undefined>();
        expectTypeOf(radius).toEqualTypeOf<readonly number[] | undefined>();
      },
    });
  });

  it("a kernel of WebGPU with a mistake in a name or a type does not compile", () => {
    // @ts-expect-error The op is misspelled.
    webgpuKernel({ ops: ["aten::cumsumm"], prepare });
    // @ts-expect-error The argument is misspelled.
    webgpuKernel({ ops: ["aten::cumsum"], fuses: ({ dmi }) => dmi === 0, prepare });
    // @ts-expect-error The record has no such argument.
    webgpuKernel({ ops: [sharpened], prepare: (call, { self }) => call.tensor(self) });
    // @ts-expect-error A number is not a tensor.
    webgpuKernel({ ops: ["aten::cumsum"], prepare: (call, { dim }) => call.tensor(dim) });
  });
});
