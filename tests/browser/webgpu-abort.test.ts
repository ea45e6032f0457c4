import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type {} from "./webgpu/main.ts";

const APP = { webgpu: true, app: "tests/browser/webgpu", sources: true } as const;

describePage("an abort on webgpu", APP, (ready) => {
  test("while the GPU computes is told at once, and what comes behind is right", async () => {
    const outcome = await ready.page.evaluate(async (address) => {
      const { load, tensor, webgpu } = globalThis.gpu;
      const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
      const backend = await webgpu({ device });
      const model = await load(address, { backend });
      const image = (value: number) => tensor("float32", [1, 1, 8, 8], new Array(64).fill(value));
      const scores = async (value: number): Promise<number[]> => {
        const logits = await model.forward({ image: image(value) });
        return Array.from(await logits.read(), Number);
      };
      const expected = [await scores(0.25), await scores(0.75)];

      // Keeps the queue busy, so that what a run submits waits.
      const module = device.createShaderModule({
        code: `
          @group(0) @binding(0) var<storage, read_write> out: array<u32>;
          @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var x = id.x;
            for (var i = 0u; i < 20000u; i++) { x = x * 1664525u + 1013904223u; }
            out[id.x] = x;
          }`,
      });
      const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
      const buffer = device.createBuffer({ size: 4 * 64 * 16, usage: GPUBufferUsage.STORAGE });
      const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }],
      });
      let idle = false;
      const keepBusy = (passes: number): void => {
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        for (let i = 0; i < passes; i++) pass.dispatchWorkgroups(16);
        pass.end();
        device.queue.submit([encoder.finish()]);
      };
      let fastest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 3; i++) {
        const begin = performance.now();
        keepBusy(1);
        await device.queue.onSubmittedWorkDone();
        fastest = Math.min(fastest, performance.now() - begin);
      }
      // Far longer than until the abort, on whatever computes here.
      keepBusy(Math.ceil(700 / fastest));
      const done = device.queue.onSubmittedWorkDone().then(() => {
        idle = true;
      });

      const controller = new AbortController();
      const running = model.run({ args: [image(0.25)] }, { signal: controller.signal });
      await new Promise((resolve) => setTimeout(resolve, 30));
      controller.abort(new Error("never mind"));
      const told = await running.then(() => "a result").catch((error: Error) => error.message);
      const busyWhenTold = !idle;
      // Behind the aborted run, in the same buffers, before the GPU has come to either.
      const next = await scores(0.75);
      const waited = idle;
      await done;
      const again = await scores(0.25);
      await model.dispose();
      await backend.dispose();
      device.destroy();
      return { told, busyWhenTold, waited, same: [again, next].join() === expected.join() };
    }, `${ready.site.url}/digits/digits.pt2`);
    expect(outcome).toEqual({ told: "never mind", busyWhenTold: true, waited: true, same: true });
  });

  test("of a download ends its requests and frees every buffer", async () => {
    const outcome = await ready.page.evaluate(async (address) => {
      const { load, webgpu } = globalThis.gpu;
      const live = new Set<GPUBuffer>();
      const { createBuffer } = GPUDevice.prototype;
      GPUDevice.prototype.createBuffer = function (descriptor) {
        const buffer = createBuffer.call(this, descriptor);
        const { destroy } = buffer;
        buffer.destroy = () => {
          live.delete(buffer);
          return destroy.call(buffer);
        };
        live.add(buffer);
        return buffer;
      };
      const backend = await webgpu();
      const file = new Uint8Array(await (await fetch(address)).arrayBuffer());
      const outcomes: unknown[] = [];
      // From the first byte of the archive to the last weight: whatever is asked for next does not come.
      for (let served = 0; ; served++) {
        const controller = new AbortController();
        const { signal } = controller;
        let [reads, ended] = [0, 0];
        const read = async (
          offset: number,
          length: number,
          options?: { readonly signal?: AbortSignal | undefined; readonly into?: Uint8Array | undefined },
        ): Promise<Uint8Array> => {
          if (reads++ >= served) {
            setTimeout(() => controller.abort());
            await new Promise((_, reject) => {
              const end = (): void => {
                ended++;
                reject(signal.reason);
              };
              options?.signal?.addEventListener("abort", end);
            });
          }
          const bytes = file.subarray(offset, offset + length);
          options?.into?.set(bytes);
          return options?.into?.subarray(0, length) ?? bytes;
        };
        const closed = await load({ size: file.length, read }, { backend, signal }).catch((error: Error) => error.name);
        if (typeof closed !== "string") {
          await closed.dispose();
          break;
        }
        outcomes.push([closed, ended === reads - served, live.size].join());
      }
      await backend.dispose();
      return { outcomes: [...new Set(outcomes)], several: outcomes.length > 5 };
    }, `${ready.site.url}/fixtures/torch-2.13/lstm_aten.pt2`);
    expect(outcome).toEqual({ outcomes: ["AbortError,true,0"], several: true });
  });
});
