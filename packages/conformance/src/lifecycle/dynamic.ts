import { hostTensor } from "@pt2/backend";
import { floats, ints } from "../programs.ts";
import { expectCodedError, expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const SYMBOLIC = `program {
  range s0 = [1, 64]
  range s1 = [2, 64]
  user_input %x: f32[s0, s1]
  %rows: int(s0) = aten::sym_size.int(%x, dim=0)
  %columns: int(s1) = aten::sym_size.int(%x, dim=1)
  %count: int(s0*s1) = _operator::mul(a=%rows, b=%columns)
  %flat: f32[s0*s1] = aten::view(%x, size=[%count])
  %scaled: f32[s0*s1] = aten::div.Tensor(%flat, other=%count)
  %sums: f32[s0] = aten::sum.dim_IntList(%x, dim=[1])
  return %scaled, %sums, %columns
}`;

/** Cases for sizes that are known only when a run begins, or only while it runs. */
export const DYNAMIC: readonly LifecycleCase[] = [
  {
    name: "dynamic: one executable at three sizes, and back",
    async run({ compile }) {
      const executable = await compile(SYMBOLIC);
      for (const [rows, columns] of [
        [2, 3],
        [1, 5],
        [7, 11],
        [2, 3],
      ] as const) {
        const x = ramp([rows, columns], 1);
        const all = [...(x.data as Float32Array)];
        const sums = Array.from({ length: rows }, (_, r) =>
          all.slice(r * columns, (r + 1) * columns).reduce((sum, value) => sum + value, 0),
        );
        await expectValues(await executable.run([x]), [
          floats([rows * columns], ...all.map((value) => value / all.length)),
          floats([rows], ...sums),
          columns,
        ]);
      }
    },
  },
  {
    name: "dynamic: overlapping runs of different sizes",
    async run({ compile }) {
      const executable = await compile(SYMBOLIC);
      const results = await Promise.all([executable.run([ramp([1, 2])]), executable.run([ramp([3, 2])])]);
      await expectValues(results[0]!, [floats([2], 0, 0.25), floats([1], 0.5), 2]);
      await expectValues(results[1]!.slice(1), [floats([3], 0.5, 2.5, 4.5), 2]);
    },
  },
  {
    name: "dynamic: an input without elements",
    async run({ compile }) {
      const executable = await compile(`program {
        range s0 = [0, 64]
        user_input %x: f32[s0, 3]
        %y: f32[s0, 3] = aten::relu(%x)
        %sum: f32[3] = aten::sum.dim_IntList(%y, dim=[0])
        return %y, %sum
      }`);
      await expectValues(await executable.run([ramp([0, 3])]), [ramp([0, 3]), floats([3], 0, 0, 0)]);
    },
  },
  {
    name: "dynamic: a list that is longer than the program's is refused",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %x: f32[4]
        user_input %n: i64[]
        parts: [%a: f32[2], %b: f32[2]] = aten::tensor_split.tensor_indices_or_sections(%x, tensor_indices_or_sections=%n)
        return %a, %b
      }`);
      const x = floats([4], 1, 2, 3, 4);
      await expectValues(await executable.run([x, ints([], 2)]), [floats([2], 1, 2), floats([2], 3, 4)]);
      await expectCodedError(executable.run([x, ints([], 3)]), "three parts for two names");
    },
  },
  {
    name: "dynamic: sizes that depend on data",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        range u0 = [0, 5]
        user_input %x: f32[5]
        %mask: bool[5] = aten::gt.Scalar(%x, other=0)
        %at: i64[u0, 1] = aten::nonzero(%mask)
        %index: i64[u0] = aten::squeeze.dim(%at, dim=1)
        %kept: f32[u0] = aten::index_select(%x, dim=0, index=%index)
        %sum: f32[] = aten::sum(%kept)
        return %kept, %sum
      }`);
      await expectValues(await executable.run([floats([5], -1, 2, -3, 4, 5)]), [floats([3], 2, 4, 5), floats([], 11)]);
      await expectValues(await executable.run([floats([5], -1, -2, -3, -4, -5)]), [floats([0]), floats([], 0)]);
      await expectValues(await executable.run([floats([5], 1, 2, 3, 4, 5)]), [ramp5(), floats([], 15)]);
    },
  },
  {
    name: "dynamic: a number read from a tensor",
    needs: "dynamicSizes",
    async run({ compile }) {
      const executable = await compile(`program {
        range u0 = [0, 9]
        user_input %n: i64[]
        %size: int(u0) = aten::item(%n)
        %twice: int(2*u0) = _operator::mul(a=%size, b=2)
        %y: i64[2*u0] = aten::arange(end=%twice)
        return %y, %size
      }`);
      const scalar = (value: bigint) => hostTensor("int64", [], BigInt64Array.of(value));
      await expectValues(await executable.run([scalar(2n)]), [ints([4], 0, 1, 2, 3), 2]);
      await expectValues(await executable.run([scalar(0n)]), [ints([0]), 0]);
    },
  },
];

const ramp5 = () => floats([5], 1, 2, 3, 4, 5);
