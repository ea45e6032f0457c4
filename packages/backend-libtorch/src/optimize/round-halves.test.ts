import { hostTensor, type Tensor } from "@pt2/backend";
import { bitsToFloat } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import type { OpArgs } from "../eager/op-args.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { elementsOf } from "../programs.test-helper.ts";
import { random } from "../random.test-helper.ts";
import { fusePointwise } from "./fuse-pointwise.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import { POINTWISE_FNS } from "./pointwise-code.ts";
import { roundHalves } from "./round-halves.ts";

const target = cpu(["pt2::round", "pt2::pointwise"]);

describe("roundHalves", () => {
  it("makes one step of two conversions, which joins with those around it, and leaves others", () => {
    const before = program(`user_input %x: f32[2, 3]
  user_input %d: f64[2, 3]
  %a: f32[2, 3] = aten::neg(%x)
  %b: f16[2, 3] = aten::to.dtype(%a, dtype=torch.float16)
  %c: f32[2, 3] = aten::to.dtype(%b, dtype=torch.float32)
  %e: bf16[2, 3] = aten::to.dtype(%c, dtype=torch.bfloat16)
  %f: f32[2, 3] = aten::to.dtype(%e, dtype=torch.float32)
  %g: f32[2, 3] = aten::mul.Tensor(%f, other=%c)
  %h: f64[2, 3] = aten::to.dtype(%e, dtype=torch.float64)
  %i: f16[2, 3] = aten::to.dtype(%d, dtype=torch.float16)
  %j: f32[2, 3] = aten::to.dtype(%i, dtype=torch.float32)
  return %g, %h, %j`);
    const rounded = roundHalves(before, target);
    expect(text(rounded)).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3]
      user_input %d: f64[2, 3]
      %a: f32[2, 3] = aten::neg(%x)
      %round: f32[2, 3] = pt2::round(x=%a, dtype=torch.float16)
      %e: bf16[2, 3] = aten::to.dtype(%round, dtype=torch.bfloat16)
      %round_1: f32[2, 3] = pt2::round(x=%round, dtype=torch.bfloat16)
      %g: f32[2, 3] = aten::mul.Tensor(%round_1, other=%round)
      %h: f64[2, 3] = aten::to.dtype(%e, dtype=torch.float64)
      %i: f16[2, 3] = aten::to.dtype(%d, dtype=torch.float16)
      %j: f32[2, 3] = aten::to.dtype(%i, dtype=torch.float32)
      return %g, %h, %j"
    `);
    expect(text(fusePointwise(rounded, target))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3]
      user_input %d: f64[2, 3]
      pointwise: [%round: f32[2, 3]] = pt2::pointwise(inputs=[%x], constants=[], code=[1, 1, 0, 0, 0, 20, 1, 1, 0, 0], results=[1], masks=[])
      %e: bf16[2, 3] = aten::to.dtype(%round, dtype=torch.bfloat16)
      pointwise_1: [%g: f32[2, 3]] = pt2::pointwise(inputs=[%round], constants=[], code=[21, 1, 0, 0, 0, 9, 1, 1, 0, 0], results=[1], masks=[])
      %h: f64[2, 3] = aten::to.dtype(%e, dtype=torch.float64)
      %i: f16[2, 3] = aten::to.dtype(%d, dtype=torch.float16)
      %j: f32[2, 3] = aten::to.dtype(%i, dtype=torch.float32)
      return %g, %h, %j"
    `);
  });

  it("does nothing where the kernel is not there", () => {
    const before = program(`user_input %x: f32[2]
  %b: f16[2] = aten::to.dtype(%x, dtype=torch.float16)
  %c: f32[2] = aten::to.dtype(%b, dtype=torch.float32)
  return %c`);
    expect(roundHalves(before, cpu())).toBe(before);
  });
});

describeWithLibtorch("pt2::round", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const call = (name: string, args: OpArgs): readonly unknown[] => torch.callSync(name as "aten::add", args);
  const round = (x: Tensor, dtype: string): Tensor => call("pt2::round", { x, dtype })[0] as Tensor;
  const to = (self: Tensor, dtype: string): Tensor => call("aten::to.dtype", { self, dtype })[0] as Tensor;

  it.each(["float16", "bfloat16"] as const)("rounds to %s as two conversions do, next to every number", (dtype) => {
    const numbers = new Float32Array(2 * 4 * 0x8000);
    const words = new Uint32Array(numbers.buffer);
    let at = 0;
    for (let bits = 0; bits < 0x8000; bits++) {
      const [low, high] = [bitsToFloat(dtype, bits), bitsToFloat(dtype, bits + 1)];
      numbers[at] = (low + high) / 2;
      const middle = words[at]!;
      for (const word of [middle - 1, middle, middle + 1, middle + ((bits * 40503) % 4096)]) {
        words[at++] = word;
        words[at++] = (word | 0x80000000) >>> 0;
      }
    }
    // The least and the greatest number, and NaN of which only low bits tell it from infinity.
    words.set([1, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x7f800001, 0x7fffffff, 0xffffffff, 0x477fefff, 0x477ff000]);
    const x = hostTensor("float32", [numbers.length], numbers);
    const expected = elementsOf(to(to(x, dtype), "float32"));
    const actual = elementsOf(round(x, dtype));
    expect(actual.findIndex((value, i) => !Object.is(value, expected[i]))).toBe(-1);
    // In a pass whose last vector is not whole.
    const part = hostTensor("float32", [131, 1], numbers.slice(0, 131));
    const code = [POINTWISE_FNS.indexOf(`round_${dtype}`), 1, 0, 0, 0];
    const [result] = call("pt2::pointwise", { inputs: [part], constants: [], code, results: [1], masks: [] });
    expect(elementsOf((result as readonly Tensor[])[0]!)).toEqual(expected.slice(0, 131));
  });

  it("refuses other dtypes", () => {
    const x = random([2]);
    expect(() => round(x, "float64")).toThrow("dtype must be float16 or bfloat16");
    expect(() => round(to(x, "float16"), "float16")).toThrow("x must be a strided float32");
  });
});
