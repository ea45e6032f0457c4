import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { floats, ints, programOf, registryOf, weightsOf } from "@pt2/conformance";
import type { Program } from "@pt2/graph";
import { expect, test } from "vitest";
import { WebgpuBackend } from "../backend.ts";
import { describeWithDevice } from "../device.test-helper.ts";
import { KERNEL_PARTS } from "../kernels/kernels-on-demand.ts";
import { DeviceSource, deviceOf } from "./device.ts";
import { kernelParts } from "./kernels.ts";

const registry = registryOf();
const [SLOTS, WIDTH] = [64, 24];

/** A cache of which each run writes some rows, and results that read all. */
const CACHE = (op: string): Program =>
  programOf(`
  buffer "cache" = %cache: f32[${SLOTS}, ${WIDTH}]
  user_input %at: i64[s0]
  user_input %rows: f32[s0, ${WIDTH}]
  user_input %id: i64[1]
  %written: f32[${SLOTS}, ${WIDTH}] = ${op}
  %sums: f32[${WIDTH}] = aten::sum.dim_IntList(%written, dim=[0])
  %one: f32[1, ${WIDTH}] = aten::index_select(%written, dim=0, index=%id)
  return %written -> buffer_mutation "cache", %sums, %one`);
const INDEX_PUT = CACHE("aten::index_put(%cache, indices=[%at], values=%rows)");
const INDEX_COPY = CACHE("aten::index_copy(%cache, dim=0, index=%at, source=%rows)");

const empty = (): HostTensor => hostTensor("float32", [SLOTS, WIDTH], new Float32Array(SLOTS * WIDTH));
const inputs = (at: readonly number[], value: number, id: number): readonly Value[] => [
  ints([at.length], ...at),
  hostTensor("float32", [at.length, WIDTH], new Float32Array(at.length * WIDTH).fill(value)),
  ints([1], id),
];

await describeWithDevice("buffers of which runs write a part", (gpu) => {
  const device = deviceOf(gpu);
  const kernels = kernelParts(KERNEL_PARTS);
  const backendOf = (outputs: "host" | "device"): WebgpuBackend =>
    new WebgpuBackend({
      outputs,
      narrowFloat64: false,
      ownsDevice: false,
      devices: new DeviceSource(device, null),
      kernels,
    });

  test.each([
    ["index_put", INDEX_PUT],
    ["index_copy", INDEX_COPY],
  ])("%s writes its rows into the copy and the buffer, and copies neither", async (_, program) => {
    const backend = backendOf("host");
    const model = await backend.compile({ program, weights: weightsOf({ cache: empty() }), registry });
    await model.run(inputs([3], 1, 0));
    await model.run(inputs([4], 2, 0));
    const text = await model.explain();
    // One shader writes the row of the run, and none looks for the last of several writes to one element.
    expect(text).toContain("// write");
    expect(text).not.toContain("// last write");
    await model.dispose();
  });

  test.each([
    ["index_put", INDEX_PUT],
    ["index_copy", INDEX_COPY],
  ])("runs of %s, of which some fail, leave what those that did not fail have written", async (_, program) => {
    for (const outputs of ["host", "device"] as const) {
      const model = await backendOf(outputs).compile({ program, weights: weightsOf({ cache: empty() }), registry });
      const rows = new Array<number>(SLOTS).fill(0);
      let reserved = 0;
      for (let i = 0; i < 600; i++) {
        // Of one row, of several, and of several of which two are the same: the last one wins, and all are alike here.
        const at = i % 11 === 5 ? [i % SLOTS, (i + 9) % SLOTS, i % SLOTS] : [(i * 29) % SLOTS];
        const [value, id] = [i % 101, i % 7 === 3 ? SLOTS + 5 : (i * 13) % SLOTS];
        const running = model.run(inputs(at, value, id));
        if (id >= SLOTS) {
          await expect(running).rejects.toThrow(/index/);
          continue;
        }
        for (const row of at) rows[row] = value;
        const [sums, one] = await Promise.all(
          ((await running) as readonly HostTensor[]).map(async (result) => [...(await result.cpu()).data]),
        );
        expect([sums![0], one![WIDTH - 1]]).toEqual([rows.reduce((sum, row) => sum + row, 0), rows[id]]);
        if (i !== 151) continue;
        await model.readState!(["cache"]);
        ({ reserved } = await model.memory());
      }
      const state = (await model.readState!(["cache"])).get("cache")!;
      expect(Array.from({ length: SLOTS }, (_, row) => state.data[row * WIDTH])).toEqual(rows);
      expect((await model.memory()).reserved).toBe(reserved);
      await model.dispose();
    }
  });

  test("a buffer that is returned, too, is returned as the run leaves it", async () => {
    const program = programOf(`
      buffer "cache" = %cache: f32[4, 2]
      user_input %at: i64[1]
      user_input %row: f32[1, 2]
      %written: f32[4, 2] = aten::index_put(%cache, indices=[%at], values=%row)
      return %written -> buffer_mutation "cache", %written, %cache`);
    const cache = floats([4, 2], 1, 2, 3, 4, 5, 6, 7, 8);
    const model = await backendOf("host").compile({ program, weights: weightsOf({ cache }), registry });
    let before = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const at of [1, 3, 0, 1]) {
      const [written, read] = (await model.run([ints([1], at), floats([1, 2], at + 10, at + 20)])) as HostTensor[];
      expect([...read!.data]).toEqual(before);
      before = before.with(2 * at, at + 10).with(2 * at + 1, at + 20);
      expect([...written!.data]).toEqual(before);
    }
    await model.dispose();
  });

  test("two buffers that one result replaces are both replaced", async () => {
    const program = programOf(`
      buffer "one" = %one: f32[3]
      buffer "other" = %other: f32[3]
      user_input %at: i64[1]
      user_input %x: f32[1]
      %written: f32[3] = aten::index_put(%one, indices=[%at], values=%x)
      return %written -> buffer_mutation "one", %written -> buffer_mutation "other", %written`);
    const weights = weightsOf({ one: floats([3], 1, 2, 3), other: floats([3], 4, 5, 6) });
    const model = await backendOf("host").compile({ program, weights, registry });
    await model.run([ints([1], 2), floats([1], 9)]);
    await model.run([ints([1], 0), floats([1], 8)]);
    const state = await model.readState!(["one", "other"]);
    expect(["one", "other"].map((name) => [...state.get(name)!.data])).toEqual([
      [8, 2, 9],
      [8, 2, 9],
    ]);
    await model.dispose();
  });
});
