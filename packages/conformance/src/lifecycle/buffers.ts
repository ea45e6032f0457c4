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
];
