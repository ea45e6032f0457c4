import { elementsOf, failureOf, someFloats } from "@pt2/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { type BufferCounts, countBuffers } from "../buffers.test-helper.ts";
import { missingDevice, openTestDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import { countingInputs, countingProgram } from "./counting-program.test-helper.ts";

describe.skipIf(missingDevice !== "")(`a device without memory${missingDevice}`, () => {
  let device: GPUDevice;
  let backend: WebgpuBackend;
  let buffers: BufferCounts;
  /** The number of buffers that are created before memory runs out. */
  let left = Number.POSITIVE_INFINITY;

  beforeAll(async () => {
    device = await openTestDevice();
    buffers = countBuffers(device);
    const { createBuffer, pushErrorScope, popErrorScope } = device;
    const scopes: { readonly filter: GPUErrorFilter; failed: boolean }[] = [];
    device.pushErrorScope = (filter) => {
      scopes.push({ filter, failed: false });
      return pushErrorScope.call(device, filter);
    };
    device.popErrorScope = async () => {
      const { filter, failed } = scopes.pop()!;
      const told = await popErrorScope.call(device);
      return failed && filter === "out-of-memory" ? ({ message: "no room" } as GPUError) : told;
    };
    device.createBuffer = (descriptor) => {
      if (left-- > 1) return createBuffer.call(device, descriptor);
      left = Number.POSITIVE_INFINITY;
      for (const scope of scopes) scope.failed = true;
      // A buffer that cannot be used for anything.
      pushErrorScope.call(device, "validation");
      const buffer = createBuffer.call(device, { ...descriptor, usage: 0 });
      void popErrorScope.call(device);
      return buffer;
    };
    backend = await webgpu({ device });
  });
  afterAll(async () => {
    await backend?.dispose();
    device?.destroy();
  });

  test("a lack of memory for any buffer of a load is reported, and the load leaves no buffers", async () => {
    let refused = 0;
    for (let n = 1; ; n++) {
      left = n;
      const outcome = await backend.compile(countingProgram(4)).then(
        async (executable) => void (await executable.dispose()),
        (error: unknown) => error,
      );
      expect(buffers.live).toBe(0);
      if (outcome === undefined) break;
      expect(outcome).toMatchObject({ code: "webgpu.out-of-memory", what: expect.stringContaining("no room") });
      refused++;
    }
    left = Number.POSITIVE_INFINITY;
    expect(refused).toBeGreaterThan(0);
  });

  test("a lack of memory for any buffer of a run is reported; the run changes nothing, and the model stays usable", async () => {
    for (const outputs of ["host", "device"] as const) {
      const own = await webgpu({ device, outputs });
      let refused = 0;
      for (let n = 1; ; n++) {
        const executable = await own.compile(countingProgram("s0"));
        const [first] = await elementsOf(await executable.run(countingInputs(2)));
        left = n;
        // More rows need more memory.
        const outcome = await executable.run(countingInputs(64)).catch((error: unknown) => error);
        const complete = left !== Number.POSITIVE_INFINITY;
        left = Number.POSITIVE_INFINITY;
        if (!complete) {
          refused++;
          expect(outcome).toMatchObject({ code: "webgpu.out-of-memory", what: expect.stringContaining("no room") });
        }
        const [again] = await elementsOf(await executable.run(countingInputs(2)));
        expect(Number(again)).toBe(Number(first) + (complete ? 2 : 1));
        const [more] = await elementsOf(await executable.run(countingInputs(64)));
        expect(Number(more)).toBe(Number(first) + (complete ? 3 : 2));
        await executable.dispose();
        if (complete) break;
      }
      expect(refused).toBeGreaterThan(3);
      await own.dispose();
    }
  });

  test("a lack of memory for a tensor of the user is reported", async () => {
    left = 1;
    const before = buffers.live;
    expect(await failureOf(backend.upload(someFloats(8)))).toMatchObject({ code: "webgpu.out-of-memory" });
    expect(buffers.live).toBe(before);
  });
});
