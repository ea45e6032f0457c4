import { floats, ints } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectCodedError, expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const ACCUMULATE = `program {
  buffer "sum" = %sum: f32[3]
  buffer "steps" = %steps: i64[]
  user_input %x: f32[3]
  %total: f32[3] = aten::add_.Tensor(%sum, other=%x)
  %count: i64[] = aten::add_.Tensor(%steps, other=1)
  %mean: f32[3] = aten::div.Tensor(%total, other=%count)
  return %mean
}`;
const start = () => [weightOf("sum", ramp([3])), weightOf("steps", ints([], 0))];

const LOOKUP = `program {
  buffer "seen" = %seen: i64[]
  user_input %table: f32[3, 2]
  user_input %ids: i64[2]
  %next: i64[] = aten::add_.Tensor(%seen, other=1)
  %rows: f32[2, 2] = aten::index_select(%table, dim=0, index=%ids)
  return %rows, %next
}`;

const CACHE = `program {
  buffer "cache" = %cache: f32[3, 2]
  user_input %at: i64[1]
  user_input %row: f32[1, 2]
  user_input %ids: i64[2]
  %written: f32[3, 2] = aten::index_copy_(%cache, dim=0, index=%at, source=%row)
  %rows: f32[2, 2] = aten::index_select(%written, dim=0, index=%ids)
  return %rows
}`;

const SHIFT = `program {
  buffer "last" = %last: f32[3, 2]
  user_input %row: f32[1, 2]
  %rest: f32[2, 2] = aten::slice.Tensor(%last, dim=0, start=1, end=3)
  %moved: f32[3, 2] = aten::slice_scatter(%last, src=%rest, dim=0, start=0, end=2)
  %two: i64[1] = aten::full(size=[1], fill_value=2, dtype=torch.int64)
  %next: f32[3, 2] = aten::index_put(%moved, indices=[%two], values=%row)
  %before: f32[3, 2] = aten::mul.Scalar(%last, other=1.0)
  return %next -> buffer_mutation "last", %before
}`;

const EXCHANGE = `program {
  buffer "a" = %a: f32[2, 2]
  buffer "b" = %b: f32[2, 2]
  user_input %at: i64[1, 2]
  user_input %row: f32[1, 2]
  %x: f32[2, 2] = aten::scatter.src(%a, dim=0, index=%at, src=%row)
  %y: f32[2, 2] = aten::scatter.src(%b, dim=0, index=%at, src=%row)
  %z: f32[2, 2] = aten::slice_scatter(%b, src=%a, dim=0)
  %sum: f32[2, 2] = aten::add.Tensor(%x, other=%y)
  return %x -> buffer_mutation "a", %z -> buffer_mutation "b", %sum, %y, %b
}`;

const TWICE = `program {
  buffer "a" = %a: f32[2, 2]
  buffer "b" = %b: f32[2, 2]
  buffer "c" = %c: f32[1, 2]
  buffer "d" = %d: f32[1, 2]
  user_input %at: i64[1]
  user_input %row: f32[1, 2]
  %before: f32[2, 2] = aten::add.Tensor(%a, other=%b)
  %rows: f32[1, 2] = aten::sub.Tensor(%c, other=%d)
  %x: f32[2, 2] = aten::index_put(%a, indices=[%at], values=%row)
  return %x -> buffer_mutation "a", %x -> buffer_mutation "b", %row -> buffer_mutation "c", %row -> buffer_mutation "d", %before, %rows
}`;

/** Cases for programs that write to their buffers. */
export const BUFFERS: readonly LifecycleCase[] = [
  {
    name: "buffers: keep what runs write",
    async run({ compile }) {
      const executable = await compile(ACCUMULATE, start());
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 1, 2)]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 0.75, 1.5)]);
      await expectValues(await executable.run([floats([3], 0, 0, 0)]), [floats([3], 0, 0.5, 1)]);
    },
  },
  {
    name: "buffers: overlapping runs see them in the order in which they started",
    async run({ compile }) {
      const executable = await compile(ACCUMULATE, start());
      const results = await Promise.all([ramp([3]), ramp([3]), floats([3], 0, 0, 0)].map((x) => executable.run([x])));
      await expectValues(results[0]!, [floats([3], 0, 1, 2)]);
      await expectValues(results[1]!, [floats([3], 0, 0.75, 1.5)]);
      await expectValues(results[2]!, [floats([3], 0, 0.5, 1)]);
    },
  },
  {
    name: "buffers: each executable has its own",
    async run({ compile }) {
      const weights = start();
      const [first, second] = [await compile(ACCUMULATE, weights), await compile(ACCUMULATE, weights)];
      await first.run([ramp([3])]);
      await expectValues(await second.run([ramp([3])]), [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "buffers: one value replaces two of them, and neither is the other's memory",
    async run({ compile }) {
      const weights = [
        weightOf("a", floats([2, 2], 1, 2, 3, 4)),
        weightOf("b", floats([2, 2], 0, 0, 0, 0)),
        weightOf("c", floats([1, 2], 5, 6)),
        weightOf("d", floats([1, 2], 0, 0)),
      ];
      const executable = await compile(TWICE, weights);
      const row = floats([1, 2], 10, 20);
      await expectValues(await executable.run([ints([1], 0), row]), [floats([2, 2], 1, 2, 3, 4), floats([1, 2], 5, 6)]);
      const twice = [floats([2, 2], 20, 40, 6, 8), floats([1, 2], 0, 0)];
      await expectValues(await executable.run([ints([1], 1), row]), twice);
      const again = [floats([2, 2], 20, 40, 20, 40), floats([1, 2], 0, 0)];
      await expectValues(await executable.run([ints([1], 1), row]), again);
    },
  },
  {
    name: "buffers: a warm-up changes none, where there is one",
    async run({ compile }) {
      const executable = await compile(ACCUMULATE, start());
      await executable.warmup?.([ramp([3])]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "buffers: a run that fails changes none",
    async run({ compile }) {
      const executable = await compile(LOOKUP, [weightOf("seen", ints([], 0))]);
      await executable.run([ramp([3, 2]), ints([2], 0, 2)]);
      await expectCodedError(executable.run([ramp([3, 2]), ints([2], 0, 5)]), "an index out of range");
      const outputs = await executable.run([ramp([3, 2]), ints([2], 0, 2)]);
      await expectValues(outputs, [floats([2, 2], 0, 0.5, 2, 2.5), ints([], 2)]);
    },
  },
  {
    name: "buffers: a write to a view writes the buffer",
    async run({ compile }) {
      const executable = await compile(
        `program {
          buffer "cache" = %cache: f32[2, 3]
          user_input %x: f32[3]
          %row: f32[3] = aten::select.int(%cache, dim=0, index=1)
          %written: f32[3] = aten::copy_(%row, src=%x)
          %copy: f32[2, 3] = aten::clone(%cache)
          return %copy
        }`,
        [weightOf("cache", floats([2, 3], 1, 1, 1, 0, 0, 0))],
      );
      await expectValues(await executable.run([ramp([3])]), [floats([2, 3], 1, 1, 1, 0, 0.5, 1)]);
      await expectValues(await executable.run([ramp([3], 2)]), [floats([2, 3], 1, 1, 1, 2, 2.5, 3)]);
    },
  },
  {
    name: "buffers: rows are written to a cache, by runs that do not fail",
    async run({ compile }) {
      const executable = await compile(CACHE, [weightOf("cache", floats([3, 2], 0, 0, 0, 0, 0, 0))]);
      const run = (at: number, row: number, ...ids: readonly [number, number]) =>
        executable.run([ints([1], at), floats([1, 2], row, row), ints([2], ...ids)]);
      await expectValues(await run(0, 1, 0, 1), [floats([2, 2], 1, 1, 0, 0)]);
      await expectCodedError(run(1, 9, 0, 7), "an index out of range");
      await expectCodedError(run(0, 9, 7, 0), "an index out of range");
      await expectValues(await run(2, 3, 0, 1), [floats([2, 2], 1, 1, 0, 0)]);
      await expectValues(await run(1, 2, 1, 2), [floats([2, 2], 2, 2, 3, 3)]);
      await expectCodedError(run(5, 9, 0, 0), "an index out of range");
      await expectValues(await run(1, 4, 0, 1), [floats([2, 2], 1, 1, 4, 4)]);
    },
  },
  {
    name: "buffers: rows move within a buffer, whose rows of before are read after that",
    async run({ compile }) {
      const executable = await compile(SHIFT, [weightOf("last", floats([3, 2], 1, 1, 2, 2, 3, 3))]);
      await expectValues(await executable.run([floats([1, 2], 4, 4)]), [floats([3, 2], 1, 1, 2, 2, 3, 3)]);
      await expectValues(await executable.run([floats([1, 2], 5, 5)]), [floats([3, 2], 2, 2, 3, 3, 4, 4)]);
      await expectValues(await executable.run([floats([1, 2], 6, 6)]), [floats([3, 2], 3, 3, 4, 4, 5, 5)]);
    },
  },
  {
    name: "buffers: one is written in a part, and another becomes what that was",
    async run({ compile }) {
      const weights = [weightOf("a", floats([2, 2], 1, 2, 3, 4)), weightOf("b", floats([2, 2], 5, 6, 7, 8))];
      const executable = await compile(EXCHANGE, weights);
      const run = (at: number, x: number) => executable.run([ints([1, 2], at, at), floats([1, 2], x, x)]);
      const squares = (...rows: readonly (readonly number[])[]) => rows.map((row) => floats([2, 2], ...row));
      await expectValues(await run(1, 9), squares([6, 8, 18, 18], [5, 6, 9, 9], [5, 6, 7, 8]));
      await expectValues(await run(0, 7), squares([14, 14, 12, 13], [7, 7, 3, 4], [1, 2, 3, 4]));
      await expectValues(await run(1, 0), squares([8, 9, 0, 0], [1, 2, 0, 0], [1, 2, 9, 9]));
    },
  },
];
