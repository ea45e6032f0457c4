import { floats, ints } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectThat, expectValues, ramp, rejectionOf } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const COUNT = `program {
  buffer "count" = %count: i64[]
  user_input %x: f32[3]
  %next: i64[] = aten::add.Tensor(%count, other=1)
  %y: f32[3] = aten::mul.Tensor(%x, other=%next)
  return %next -> buffer_mutation "count", %y
}`;
const counter = () => weightOf("count", ints([], 0));

/** Cases for what an abort stops, and what state it leaves. */
export const ABORT: readonly LifecycleCase[] = [
  {
    name: "abort: before a run",
    async run({ compile }) {
      const executable = await compile(COUNT, [counter()]);
      const reason = new Error("not needed any more");
      const error = await rejectionOf(executable.run([ramp([3])], { signal: AbortSignal.abort(reason) }), "the run");
      expectThat(error === reason, `rejected with ${String(error)}, not with the signal's reason`);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 0.5, 1)]);
    },
  },
  {
    name: "abort: while queued",
    async run({ compile }) {
      const executable = await compile(COUNT, [counter()]);
      const controller = new AbortController();
      const reason = new Error("too late");
      const first = executable.run([ramp([3])]);
      const second = rejectionOf(executable.run([ramp([3])], { signal: controller.signal }), "the queued run");
      controller.abort(reason);
      const third = executable.run([ramp([3])]);
      expectThat((await second) === reason, "the queued run is rejected with the signal's reason");
      await expectValues(await first, [floats([3], 0, 0.5, 1)]);
      await expectValues(await third, [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "abort: after the end changes nothing",
    async run({ compile }) {
      const executable = await compile(COUNT, [counter()]);
      const controller = new AbortController();
      const outputs = await executable.run([ramp([3])], { signal: controller.signal });
      controller.abort();
      await expectValues(outputs, [floats([3], 0, 0.5, 1)]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "abort: compile",
    async run({ compile }) {
      const reason = new Error("closed");
      const error = await rejectionOf(compile(COUNT, [counter()], AbortSignal.abort(reason)), "compile");
      expectThat(error === reason, `compile is rejected with ${String(error)}, not with the signal's reason`);
      const executable = await compile(COUNT, [counter()]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 0.5, 1)]);
    },
  },
  {
    name: "abort: a compile under way",
    async run({ compile }) {
      const controller = new AbortController();
      const reason = new Error("another model was chosen");
      const compiling = rejectionOf(compile(COUNT, [counter()], controller.signal), "compile");
      controller.abort(reason);
      const error = await compiling;
      expectThat(error === reason, `compile is rejected with ${String(error)}, not with the signal's reason`);
      const executable = await compile(COUNT, [counter()]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 0, 0.5, 1)]);
    },
  },
  {
    name: "abort: a compile that waits for a weight",
    async run({ compile }) {
      const controller = new AbortController();
      const reason = new Error("the network is gone");
      const weight = counter();
      const { storage } = weight;
      const read: typeof storage.read = async (options) => {
        controller.abort(reason);
        options?.signal?.throwIfAborted();
        return await storage.read(options);
      };
      const compiling = compile(COUNT, [{ ...weight, storage: { ...storage, read } }], controller.signal);
      const error = await rejectionOf(compiling, "compile");
      expectThat(error === reason, `compile is rejected with ${String(error)}, not with the signal's reason`);
    },
  },
];
