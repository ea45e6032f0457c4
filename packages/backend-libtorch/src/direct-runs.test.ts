import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { LibtorchExecutable } from "./executable.ts";
import type { LoadedAddon } from "./install/load-addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { ACCUMULATE, compileBody, elementsOf } from "./programs.test-helper.ts";

const PRODUCT = `
  parameter "w" = %w: f32[3, 2]
  user_input %x: f32[s0, 3]
  %y: f32[s0, 2] = aten::matmul(%x, other=%w)
  %t: f32[2, s0] = aten::t(%y)
  return %y, %t, %x`;
const w = floats([3, 2], 1, 2, 3, 4, 5, 6);

/** Runs often enough that the next run can be computed at once. */
async function warm(executable: LibtorchExecutable, inputs: readonly Value[]): Promise<void> {
  for (let i = 0; i < 8; i++) await executable.run(inputs);
}

const define =
  (atOnceMs: number) =>
  ({ addon }: LoadedAddon): void => {
    const backend = new LibtorchBackend(addon, { threads: 1, atOnceMs });

    it("are those of the first run: values, views, dtypes and shapes, and results that nothing changes later", async () => {
      const executable = await compileBody(backend, PRODUCT, { w });
      const inputs = [floats([2, 3], 1, 0, 0, 0, 1, 0)];
      const expected = [
        [1, 2, 3, 4],
        [1, 3, 2, 4],
        [1, 0, 0, 0, 1, 0],
      ];
      const first = await executable.run(inputs);
      await warm(executable, inputs);
      const results = await executable.run(inputs);
      const sync = executable.runSync(inputs);
      await executable.run([floats([2, 3], 9, 9, 9, 9, 9, 9)]);
      executable.runSync([floats([2, 3], 9, 9, 9, 9, 9, 9)]);
      for (const one of [first, results, sync]) expect(one.map(elementsOf)).toEqual(expected);
      expect(results[1]).toMatchObject({ dtype: "float32", shape: [2, 2], device: "host" });
      expect(inputs.map(elementsOf)).toEqual([[1, 0, 0, 0, 1, 0]]);
      await executable.dispose();
    });

    it("follow inputs of other shapes, which are their own result too", async () => {
      const executable = await compileBody(backend, PRODUCT, { w });
      for (const rows of [1, 1, 1, 2, 1, 2, 2, 2, 3, 3]) {
        const [y] = await executable.run([hostTensor("float32", [rows, 3], new Float32Array(3 * rows).fill(1))]);
        expect(elementsOf(y)).toEqual(Array(rows).fill([9, 12]).flat());
      }
      await executable.dispose();
    });

    it("follow results whose sizes depend on data", async () => {
      const body = `
  user_input %x: f32[4]
  %found: i64[u0, 1] = aten::nonzero(%x)
  return %found`;
      const executable = await compileBody(backend, body);
      for (const x of [
        [1, 0, 0, 2],
        [1, 0, 0, 2],
        [1, 0, 0, 2],
        [1, 0, 0, 2],
        [0, 3, 4, 5],
        [0, 0, 0, 0],
        [1, 0, 0, 2],
      ]) {
        const [found] = await executable.run([floats([4], ...x)]);
        expect(elementsOf(found)).toEqual(x.flatMap((value, i) => (value === 0 ? [] : [BigInt(i)])));
      }
      await executable.dispose();
    });

    it("end with the error of the pool's runs, as a rejection", async () => {
      const body = `
  parameter "w" = %w: f32[3, 2]
  user_input %i: i64[1]
  %y: f32[1, 2] = aten::index_select(%w, dim=0, index=%i)
  return %y`;
      const executable = await compileBody(backend, body, { w });
      const index = (at: bigint) => [hostTensor("int64", [1], BigInt64Array.of(at))];
      const expected = { code: "libtorch.op-failed", message: expect.stringContaining("index_select") };
      await expect(executable.run(index(7n))).rejects.toMatchObject(expected);
      await warm(executable, index(1n));
      await expect(executable.run(index(7n))).rejects.toMatchObject(expected);
      expect(() => executable.runSync(index(7n))).toThrow(expect.objectContaining(expected));
      expect((await executable.run(index(2n))).map(elementsOf)).toEqual([[5, 6]]);
      await executable.dispose();
      await expect(executable.run(index(2n))).rejects.toMatchObject({ code: "libtorch.disposed" });
    });

    it("do not begin with a signal that is aborted, and overlap with runs on the pool", async () => {
      const executable = await compileBody(backend, PRODUCT, { w });
      const inputs = [floats([1, 3], 1, 1, 1)];
      await warm(executable, inputs);
      const reason = new Error("no");
      await expect(executable.run(inputs, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const others = [floats([2, 3], 1, 1, 1, 1, 1, 1)];
      const all = await Promise.all([others, inputs, others, inputs].map((given) => executable.run(given)));
      expect(all.map(([y]) => elementsOf(y))).toEqual([
        [9, 12, 9, 12],
        [9, 12],
        [9, 12, 9, 12],
        [9, 12],
      ]);
      await executable.dispose();
    });

    it("leave programs that write to the pool", async () => {
      const executable = await compileBody(backend, ACCUMULATE, { sum: floats([3], 0, 0, 0) });
      await warm(executable, [floats([3], 1, 1, 1)]);
      expect((await executable.run([floats([3], 1, 1, 1)])).map(elementsOf)).toEqual([[9, 9, 9]]);
      await executable.dispose();
    });

    it("a loop that only awaits them leaves turns to timers", async () => {
      const executable = await compileBody(backend, PRODUCT, { w });
      let fired = false;
      setTimeout(() => {
        fired = true;
      }, 1);
      while (!fired) await executable.run([floats([1, 3], 1, 1, 1)]);
      await executable.dispose();
    });
  };

// However busy the machine is, every run is small, or none is.
describeWithLibtorch("runs that begin again and are computed at once", define(1e9));
describeWithLibtorch("runs that begin again and are computed on the pool", define(0));

describeWithLibtorch("runs that begin again on the pool", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1, atOnceMs: 0 });
  const filled = (size: number, value: number): HostTensor =>
    hostTensor("float32", [size], new Float32Array(size).fill(value));
  const DOUBLED = `
  user_input %x: f32[s0]
  %y: f32[s0] = aten::add.Tensor(%x, other=%x, alpha=1)
  %s: f32[] = aten::sum(%y)
  return %s, %x`;
  const SUM = DOUBLED.replace("%s, %x", "%s");

  it("overlap: each has its own inputs and results", async () => {
    const executable = await compileBody(backend, DOUBLED);
    await warm(executable, [filled(4099, 1)]);
    for (let round = 0; round < 50; round++) {
      const given = [1, 2, 3, 4].map((value) => filled(4099, value));
      const runs = given.map((x) => executable.run([x]));
      const results = await Promise.all(runs);
      expect(results.map(([sum]) => elementsOf(sum)[0])).toEqual([1, 2, 3, 4].map((value) => 2 * 4099 * value));
      expect(results.map(([, x]) => elementsOf(x)[4098])).toEqual([1, 2, 3, 4]);
    }
    await executable.dispose();
  });

  it("take inputs of megabytes, and leave larger ones and large results to other runs", async () => {
    for (const size of [1 << 20, (1 << 20) + 1, 1 << 14, (1 << 14) + 1]) {
      const executable = await compileBody(backend, DOUBLED);
      const sums = await compileBody(backend, SUM);
      for (let i = 0; i < 5; i++) {
        const [sum, x] = await executable.run([filled(size, i)]);
        expect([elementsOf(sum)[0], elementsOf(x)[size - 1]]).toEqual([2 * size * i, i]);
        expect(elementsOf((await sums.run([filled(size, i)]))[0])).toEqual([2 * size * i]);
      }
      await executable.dispose();
      await sums.dispose();
    }
  });

  it("end before the model that was disposed meanwhile, which then refuses others", async () => {
    const executable = await compileBody(backend, SUM);
    await warm(executable, [filled(1 << 20, 1)]);
    const run = executable.run([filled(1 << 20, 1)]);
    const disposed = executable.dispose();
    await expect(executable.run([filled(1 << 20, 1)])).rejects.toMatchObject({ code: "libtorch.disposed" });
    await disposed;
    expect(elementsOf((await run)[0])).toEqual([2 << 20]);
  });

  it("keep no memory, over thousands of calls", async () => {
    const executable = await compileBody(backend, DOUBLED);
    const inputs = [filled(4099, 1)];
    await warm(executable, inputs);
    const before = addon.memory().liveBytes;
    for (let i = 0; i < 5000; i++) await executable.run(inputs);
    expect(addon.memory().liveBytes).toBeLessThanOrEqual(before);
    await executable.dispose();
  });
});
