import { grad } from "@pt2/autograd";
import { hostTensor } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";

/** The first of each 8 numbers that PyTorch draws after torch.manual_seed(42) for the transpose of 4 rows of 8. */
const DRAWN = { randn_like: [0.3367, 0.4617, 1.3221, 0.2815], normal_: [0.3367, 0.4617, 1.3221, 0.2815] };

for (const { name, missing, create, precision } of await testedBackends()) {
  describe(`gradients that were missing or wrong: ${name}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);

    /** The loss of a program of `x`, and its gradient. */
    async function step(
      shape: readonly number[],
      body: string,
      values?: readonly number[],
    ): Promise<readonly (readonly number[])[]> {
      const program = parse(`program {
        user_input %x: f32[${shape}]
        forward ("x")
        in_spec tuple(tuple(*), dict())
        out_spec *
        ${body}
        return %loss
      }`);
      const backend = await create();
      const options = { backend, ...(precision && { precision }) };
      await using model = await load({ program: await grad(program, { wrt: ["x"] }), weights: new Map() }, options);
      const ones = new Float32Array(shape.reduce((a, b) => a * b)).fill(1);
      const x = hostTensor("float32", shape, values === undefined ? ones : Float32Array.from(values));
      backend.manualSeed?.(42);
      const { loss, inputGradients } = await model.step!(x);
      return [[...(await loss.read())].map(Number), [...(await inputGradients.x!.read())].map(Number)];
    }

    it("pairs that are not side by side become complex numbers", async () => {
      const [loss, gradient] = await step(
        [2, 3],
        `%m: f32[2, 3] = aten::mul.Tensor(%x, other=%x)
         %p: f32[3, 2]{strides=[1, 3]} = aten::permute(%m, dims=[1, 0])
         %c: f32[3, 2] = aten::contiguous(%p)
         %z: c64[3] = aten::view_as_complex(%c)
         %r: f32[3] = aten::real(%z)
         %loss: f32[] = aten::sum(%r)`,
      );
      expect(loss).toEqual([3]);
      expect(gradient).toEqual([2, 2, 2, 0, 0, 0]);
    });

    it("what is written at strides has its gradient, and what was there before has none", async () => {
      const [loss, gradient] = await step(
        [2, 3],
        `%a: f32[2]{strides=[4]} = aten::as_strided(%x, size=[2], stride=[4], storage_offset=0)
         %s: f32[2]{strides=[4]} = aten::mul.Tensor(%a, other=%a)
         %w: f32[2, 3] = aten::as_strided_scatter(%x, src=%s, size=[2], stride=[4], storage_offset=1)
         %loss: f32[] = aten::sum(%w)`,
      );
      expect(loss).toEqual([6]);
      expect(gradient).toEqual([3, 0, 1, 1, 3, 0]);
    });

    const POSITIVE = [0.5, 1, 2, 3];
    it.each([
      ["special_i1(%x)", [0, 0.5, -1.5, 3], [0.5, 0.547695, 0.992279, 3.563002]],
      ["special_i1e(%x)", [0, 0.5, -1.5, 3], [0.5, 0.175773, 0.00236794, -0.0194353]],
      ["igamma(%a, other=%x)", POSITIVE, [0.483941, 0.415108, 0.215964, 0.0973043]],
      ["igammac(%a, other=%x)", POSITIVE, [-0.483941, -0.415108, -0.215964, -0.0973043]],
      ["special_zeta(%c, other=%x)", POSITIVE, [-29.052011, -2.816835, -0.316835, -0.0958638]],
      ["narrow_copy(%x, dim=0, start=-3, length=2)", POSITIVE, [0, 1, 1, 0]],
    ] as const)("%s", async (call, values, right) => {
      const [, gradient] = await step(
        [4],
        `%a: f32[4] = aten::full(size=[4], fill_value=1.5, dtype=torch.float32)
         %c: f32[4] = aten::full(size=[4], fill_value=2.5, dtype=torch.float32)
         %y: f32[${call.startsWith("narrow") ? 2 : 4}] = aten::${call}
         %loss: f32[] = aten::sum(%y)`,
        values,
      );
      for (const [i, value] of right.entries())
        expect(Math.abs(gradient![i]! / (value || 1) - (value && 1))).toBeLessThan(1e-4);
    });

    it("ops without gradients are refused where the loss depends on them", async () => {
      const body = `%h: f32[4] = aten::histc(%x, bins=4)
         %j: f32[4] = aten::special_bessel_j0(%x)
         %s: f32[4] = aten::mul.Tensor(%j, other=%x)
         %t: f32[4] = aten::add.Tensor(%s, other=%h)
         %n: f32[4] = aten::_standard_gamma(%x)
         %m: f32[4] = aten::detach(%n)
         %u: f32[4] = aten::mul.Tensor(%t, other=%m)
         %loss: f32[] = aten::sum(`;
      const [, gradient] = await step([4], `${body}%s)`, POSITIVE);
      // No gradient flows through Bessel functions of PyTorch.
      for (const [i, right] of [0.93847, 0.765198, 0.223891, -0.260052].entries())
        expect(gradient![i]).toBeCloseTo(right, 4);
      await expect(step([4], `${body}%t)`, POSITIVE)).resolves.toHaveLength(2);
      await expect(step([4], `${body}%n)`, POSITIVE)).rejects.toMatchObject({ code: "autograd.no-gradient" });
    });

    it("mantissas", async () => {
      const [, gradient] = await step(
        [4],
        `%m: f32[4], %e: i32[4] = aten::frexp.Tensor(%x)
         %loss: f32[] = aten::sum(%m)`,
        POSITIVE,
      );
      expect(gradient).toEqual([1, 0.5, 0.25, 0.25]);
    });

    it.each([
      ["sum", [2, 4, 3, 5, 3, 5]],
      ["mean", [2, 4, 1.5, 2.5, 1.5, 2.5]],
      ["max", [2, 4, 3, 0, 0, 5]],
      ["min", [2, 4, 0, 5, 3, 0]],
    ] as const)("%s of segments", async (reduce, right) => {
      const [, gradient] = await step(
        [3, 2],
        `%l: i64[2] = aten::arange.start(start=1, end=3, dtype=torch.int64)
         %s: f32[2, 2] = aten::segment_reduce(data=%x, reduce="${reduce}", lengths=%l)
         %f: f32[2] = aten::arange.start(start=2, end=4, dtype=torch.float32)
         %v: f32[2, 1] = aten::unsqueeze(%f, dim=1)
         %g: f32[2] = aten::arange.start_step(start=0, end=3, step=2, dtype=torch.float32)
         %w: f32[2, 2] = aten::add.Tensor(%v, other=%g)
         %t: f32[2, 2] = aten::mul.Tensor(%s, other=%w)
         %loss: f32[] = aten::sum(%t)`,
        [1, 3, 3, 2, 2, 5],
      );
      expect(gradient).toEqual(right);
    });

    it.each([
      ["randn_like", "%n: f32[8, 4]{strides=[1, 8]} = aten::randn_like(%t)"],
      [
        "normal_",
        `%c: f32[8, 4]{strides=[1, 8]} = aten::clone(%t)
         %n: f32[8, 4]{strides=[1, 8]} = aten::normal_(%c)`,
      ],
    ] as const)("%s draws as in PyTorch's memory", async (op, draw) => {
      const [, gradient] = await step(
        [4, 8],
        `%t: f32[8, 4]{strides=[1, 8]} = aten::t(%x)
         ${draw}
         %y: f32[8, 4]{strides=[1, 8]} = aten::mul.Tensor(%n, other=%t)
         %loss: f32[] = aten::sum(%y)`,
      );
      const column = gradient!.filter((_, i) => i % 8 === 0);
      for (const [i, value] of DRAWN[op].entries()) expect(column[i]).toBeCloseTo(value, 3);
    });
  });
}
