import { run } from "@pt2/conformance";
import { describe, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { missingDevice, testGpu } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import { countingInputs, countingProgram } from "./counting-program.test-helper.ts";
import type { WebgpuExecutable } from "./executable.ts";

const request = countingProgram(4);
const inputs = countingInputs(4);

/** The distance between the moments at which a device is lost; each takes a device of its own. */
const STRIDE = 5;

/** Calls of a device that are counted: the device is lost at one of them. */
const CALLS = [
  "createBuffer",
  "createShaderModule",
  "createComputePipelineAsync",
  "createBindGroup",
  "createCommandEncoder",
  "popErrorScope",
] as const;

/** The last result may have arrived before the loss. */
function expectLost(outcome: unknown): void {
  if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ code: "webgpu.device-lost" });
}

describe.skipIf(missingDevice !== "")(`a device that is lost${missingDevice}`, () => {
  /** Makes a backend whose device is lost at the n-th of its calls from `arm(n)` on. */
  const open = async (): Promise<{ readonly backend: WebgpuBackend; arm(n: number): void; armed(): boolean }> => {
    const backend = await webgpu({ adapter: () => testGpu().requestAdapter() });
    const { device } = backend;
    let left = Number.POSITIVE_INFINITY;
    for (const name of CALLS) {
      const method = device[name] as (...args: unknown[]) => unknown;
      (device[name] as unknown) = (...args: unknown[]) => {
        if (--left === 0) device.destroy();
        return method.apply(device, args);
      };
    }
    const { submit } = device.queue;
    device.queue.submit = (buffers) => {
      submit.call(device.queue, buffers);
      if (--left === 0) device.destroy();
    };
    return {
      backend,
      arm: (n) => {
        left = n;
      },
      armed: () => left > 0 && left !== Number.POSITIVE_INFINITY,
    };
  };

  test("a loss at any moment of a load ends it with a code", async () => {
    let lost = 0;
    for (let n = 1; ; n += STRIDE) {
      const { backend, arm, armed } = await open();
      arm(n);
      const loading = backend.compile(request);
      // A load may be over before the loss is reported.
      const outcome = await loading.then((executable) => run(executable, ...inputs)).catch((error: unknown) => error);
      const complete = armed();
      await backend.dispose();
      if (complete) break;
      expectLost(outcome);
      lost++;
    }
    expect(lost).toBeGreaterThan(5);
  });

  test("a loss at any moment of a run ends it with a code, and the model recovers", async () => {
    let lost = 0;
    for (let n = 1; ; n += STRIDE) {
      const { backend, arm, armed } = await open();
      const executable = (await backend.compile(request)) as WebgpuExecutable;
      arm(n);
      const outcome = await run(executable, ...inputs).catch((error: unknown) => error);
      const complete = armed();
      if (!complete) {
        expectLost(outcome);
        lost++;
        await backend.device.lost;
        await Promise.all([executable.recover(), executable.recover()]);
        expect(await run(executable, ...inputs)).toHaveLength(1);
      }
      await backend.dispose();
      if (complete) break;
    }
    expect(lost).toBeGreaterThan(5);
  });
});
