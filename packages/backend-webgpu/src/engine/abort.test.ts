import type { CompileRequest } from "@pt2/backend";
import { failureOf, floats, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { type BufferCounts, countBuffers } from "../buffers.test-helper.ts";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const REASON = new Error("never mind");
const registry = registryOf();

/** Packs a weight, folds another, and has a graph break whose data decide; then counts its runs in a buffer. */
const staged: CompileRequest = {
  program: programOf(`
    parameter "w" = %w: f32[16, 8]
    parameter "v" = %v: f32[16]
    buffer "count" = %count: f32[]
    user_input %x: f32[4, 8]
    %h: f32[4, 16] = aten::linear(input=%x, weight=%w)
    %e: f32[16] = aten::exp(self=%v)
    %a: f32[4, 16] = aten::add.Tensor(self=%h, other=%e)
    %mask: bool[4, 16] = aten::gt.Scalar(self=%a, other=1.0)
    %some: f32[u0] = aten::index.Tensor(self=%a, indices=[%mask])
    %sum: f32[] = aten::sum(self=%some)
    %z: f32[] = aten::add.Tensor(self=%sum, other=%count)
    %next: f32[] = aten::add.Scalar(self=%count, other=1)
    return %next -> buffer_mutation "count", %z`),
  weights: weightsOf({ w: someFloats(16, 8), v: someFloats(16), count: floats([], 0) }),
  registry,
};
const x = someFloats(4, 8);

await describeWithDevice("an abort", (device) => {
  let backend: WebgpuBackend;
  let buffers: BufferCounts;
  /** Is called for every call of the device. */
  let asked = (): void => {};

  const watch = <T extends object, K extends keyof T>(on: T, name: K): (() => void) => {
    const method = on[name] as (...args: unknown[]) => unknown;
    on[name] = function (this: unknown, ...args: unknown[]) {
      asked();
      return method.apply(on, args);
    } as T[K];
    return () => {
      on[name] = method as T[K];
    };
  };
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    backend = await webgpu({ device });
    buffers = countBuffers(device);
    const create = device.createBuffer;
    ends.push(watch(device, "createComputePipelineAsync"), watch(device.queue, "submit"), () => {
      device.createBuffer = create;
    });
    device.createBuffer = (descriptor) => {
      asked();
      const buffer = create.call(device, descriptor);
      watch(buffer, "mapAsync");
      return buffer;
    };
  });
  afterAll(async () => {
    for (const end of ends.reverse()) end();
    await backend.dispose();
    buffers.restore();
  });

  /** Returns a signal that aborts at the n-th call of the device, and whether that call came. */
  const abortAt = (n: number): AbortController => {
    const controller = new AbortController();
    let count = 0;
    asked = () => void (++count === n && controller.abort(REASON));
    return controller;
  };

  test("an abort at any moment of a load leaves no buffers", async () => {
    // Shaders that the device has compiled are not compiled again.
    let loaded = 0;
    for (let n = 1; loaded < 3; n++) {
      const { signal } = abortAt(n);
      const outcome = await backend.compile({ ...staged, signal }).catch((error: unknown) => error);
      if (signal.aborted) expect(outcome).toBe(REASON);
      else {
        loaded++;
        await (outcome as Awaited<ReturnType<typeof backend.compile>>).dispose();
      }
      expect(buffers.live).toBe(0);
    }
  });

  test("an abort does not wait for shaders, whose failures are then dropped", async () => {
    const compile = device.createComputePipelineAsync;
    const waiting: (() => void)[] = [];
    device.createComputePipelineAsync = (descriptor) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(compile.call(device, descriptor)));
      });
    try {
      const controller = new AbortController();
      const told: number[] = [];
      const program = programOf(`
        user_input %x: f32[7, 5]
        %y: f32[7, 5] = aten::erfinv(self=%x)
        %z: f32[7, 5] = aten::cumsum(self=%y, dim=1)
        return %z`);
      const loading = backend.compile({
        ...{ program, weights: new Map(), registry, signal: controller.signal },
        onProgress: ({ done }) => told.push(done),
      });
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      controller.abort(REASON);
      expect(await failureOf(loading)).toBe(REASON);
      expect(buffers.live).toBe(0);
      for (const go of waiting) go();
      await device.queue.onSubmittedWorkDone();
      expect(told).toEqual([]);
    } finally {
      device.createComputePipelineAsync = compile;
    }
  });

  test("an abort at any moment of a run changes nothing, and the model stays usable", async () => {
    const executable = await backend.compile(staged);
    const counted: number[] = [];
    for (let n = 1; counted.length < 3; n++) {
      const { signal } = abortAt(n);
      const outcome = await executable.run([x], { signal }).catch((error: unknown) => error);
      if (signal.aborted) expect(outcome).toBe(REASON);
      else counted.push((outcome as readonly { readonly data: Float32Array }[])[0]!.data[0]!);
      asked = () => {};
    }
    // Every run that was complete has counted, and no other.
    const [first] = counted as [number];
    expect(counted).toEqual([first, first + 1, first + 2]);
    expect(await run(executable, x)).toEqual([[first + 3]]);
    await executable.dispose();
    expect(buffers.live).toBe(0);
  });

  test("an abort of a run that waits for another one rejects it at once", async () => {
    const executable = await backend.compile(staged);
    const controller = new AbortController();
    const order: string[] = [];
    const first = executable.run([x]).then(() => order.push("first"));
    const second = executable.run([x], { signal: controller.signal }).catch(() => order.push("second"));
    const third = executable.run([x]).then(() => order.push("third"));
    controller.abort(REASON);
    await Promise.all([first, second, third]);
    expect(order).toEqual(["second", "first", "third"]);
    await executable.dispose();
  });

  test("an abort after a load is over does not concern runs", async () => {
    const program = programOf(`
      parameter "w" = %w: f32[16, 8]
      user_input %x: f32[s0, 8]
      %y: f32[s0, 16] = aten::linear(input=%x, weight=%w)
      return %y`);
    const controller = new AbortController();
    const weights = weightsOf({ w: someFloats(16, 8) });
    const executable = await backend.compile({ program, weights, registry, signal: controller.signal });
    controller.abort(REASON);
    expect((await run(executable, someFloats(3, 8)))[0]).toHaveLength(48);
    await executable.dispose();
  });

  test("an abort while a run reads its weights leaves them to be read by the next run", async () => {
    const program = programOf(`
      parameter "v" = %v: f32[6]
      parameter "w" = %w: f32[6]
      user_input %x: f32[s0, 6]
      %y: f32[s0, 6] = aten::mul.Tensor(self=%x, other=%v)
      %z: f32[s0, 6] = aten::add.Tensor(self=%y, other=%w)
      return %z`);
    const controller = new AbortController();
    const given = weightsOf({ v: someFloats(6), w: someFloats(6) });
    let reads = 0;
    const weights = new Map(
      [...given].map(([name, weight]) => {
        const { storage } = weight;
        const read: typeof storage.read = async (options) => {
          if (++reads === 2) controller.abort(REASON);
          await Promise.resolve();
          return await storage.read(options);
        };
        return [name, { ...weight, storage: { ...storage, read } }];
      }),
    );
    const executable = await backend.compile({ program, weights, registry });
    expect(await failureOf(executable.run([someFloats(2, 6)], { signal: controller.signal }))).toBe(REASON);
    const values = someFloats(6).data as Float32Array;
    expect(await run(executable, floats([1, 6], 1, 1, 1, 1, 1, 1))).toEqual([Array.from(values, (v) => v + v)]);
    await executable.dispose();
    expect(buffers.live).toBe(0);
  });
});
