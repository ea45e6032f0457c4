import { hostTensor } from "@pt2/backend";
import { floats, ints } from "../programs.ts";
import { expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const flag = (value: boolean) => hostTensor("bool", [], Uint8Array.of(Number(value)));

/** Cases for higher-order ops. */
export const CONTROL: readonly LifecycleCase[] = [
  {
    name: "control flow: cond",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %p: bool[]
        user_input %x: f32[3]
        cond: [%y: f32[3]] = higher_order::cond(%p, graph yes(%a: f32[3]) {
          %b: f32[3] = aten::mul.Tensor(%a, other=2)
          return %b
        }, graph no(%a: f32[3]) {
          %b: f32[3] = aten::neg(%a)
          return %b
        }, [%x])
        %z: f32[3] = aten::add.Tensor(%y, other=%x)
        return %z
      }`);
      await expectValues(await executable.run([flag(true), ramp([3])]), [floats([3], 0, 1.5, 3)]);
      await expectValues(await executable.run([flag(false), ramp([3])]), [floats([3], 0, 0, 0)]);
    },
  },
  {
    name: "control flow: cond of a number, of which only zeros of either sign are false",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %p: f32[]
        user_input %x: f32[3]
        cond: [%y: f32[3]] = higher_order::cond(%p, graph yes(%a: f32[3]) {
          %b: f32[3] = aten::mul.Tensor(%a, other=2)
          return %b
        }, graph no(%a: f32[3]) {
          %b: f32[3] = aten::neg(%a)
          return %b
        }, [%x])
        return %y
      }`);
      const x = floats([3], 1, 2, 3);
      for (const yes of [0.5, -1, Number.NaN])
        await expectValues(await executable.run([floats([], yes), x]), [floats([3], 2, 4, 6)]);
      for (const no of [0, -0])
        await expectValues(await executable.run([floats([], no), x]), [floats([3], -1, -2, -3)]);
    },
  },
  {
    name: "control flow: while_loop",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %i: i64[]
        user_input %x: f32[3]
        while_loop: [%n: i64[], %y: f32[3]] = higher_order::while_loop(graph more(%k: i64[], %a: f32[3]) {
          %go: bool[] = aten::lt.Scalar(%k, other=4)
          return %go
        }, graph body(%k: i64[], %a: f32[3]) {
          %next: i64[] = aten::add.Tensor(%k, other=1)
          %b: f32[3] = aten::mul.Tensor(%a, other=2)
          return %next, %b
        }, [%i, %x], [])
        return %n, %y
      }`);
      await expectValues(await executable.run([ints([], 1), ramp([3])]), [ints([], 4), floats([3], 0, 4, 8)]);
      await expectValues(await executable.run([ints([], 9), ramp([3])]), [ints([], 9), ramp([3])]);
    },
  },
  {
    name: "control flow: scan",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %init: f32[2]
        user_input %xs: f32[3, 2]
        scan: [%last: f32[2], %all: f32[3, 2]] = higher_order::scan(graph step(%carry: f32[2], %x: f32[2]) {
          %sum: f32[2] = aten::add.Tensor(%carry, other=%x)
          %copy: f32[2] = aten::clone(%sum)
          return %sum, %copy
        }, [%init], [%xs], [])
        return %last, %all
      }`);
      const outputs = await executable.run([floats([2], 10, 20), floats([3, 2], 1, 2, 3, 4, 5, 6)]);
      await expectValues(outputs, [floats([2], 19, 32), floats([3, 2], 11, 22, 14, 26, 19, 32)]);
    },
  },
  {
    name: "control flow: map",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %xs: f32[3, 2]
        user_input %scale: f32[]
        map: [%ys: f32[3]] = higher_order::map_impl(graph body(%x: f32[2], %s: f32[]) {
          %sum: f32[] = aten::sum(%x)
          %y: f32[] = aten::mul.Tensor(%sum, other=%s)
          return %y
        }, [%xs], [%scale])
        return %ys
      }`);
      const outputs = await executable.run([ramp([3, 2]), floats([], 2)]);
      await expectValues(outputs, [floats([3], 1, 5, 9)]);
    },
  },
];
