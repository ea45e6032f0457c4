import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type {} from "./webgpu/main.ts";

const APP = { webgpu: true, app: "tests/browser/webgpu", sources: true } as const;

describePage("an abort on webgpu", APP, (ready) => {
  test("while the GPU computes is told at once, and what comes behind is right", async () => {
    const outcome = await ready.page.evaluate(async (address) => {
      const { load, tensor, webgpu } = globalThis.gpu;
      // To the page the GPU computes until `finish` is called: no buffer can be read before.
      let finished: Promise<void> = Promise.resolve();
      let asked = (): void => {};
      const { mapAsync, unmap } = GPUBuffer.prototype;
      const stops = new WeakMap<GPUBuffer, () => void>();
      GPUBuffer.prototype.mapAsync = async function (...range) {
        const mapped = mapAsync.apply(this, range);
        mapped.catch(() => {});
        const stopped = new Promise<never>((_, reject) => {
          stops.set(this, () => reject(new DOMException("unmapped", "AbortError")));
        });
        asked();
        await Promise.race([finished, stopped]);
        await mapped;
      };
      GPUBuffer.prototype.unmap = function () {
        stops.get(this)?.();
        unmap.call(this);
      };
      const nextRead = (): Promise<void> =>
        new Promise((resolve) => {
          asked = resolve;
        });

      const backend = await webgpu();
      const model = await load(address, { backend });
      const image = (value: number) => tensor("float32", [1, 1, 8, 8], new Array(64).fill(value));
      const scores = async (value: number): Promise<number[]> => {
        const logits = await model.forward({ image: image(value) });
        return Array.from(await logits.read(), Number);
      };
      const expected = [await scores(0.25), await scores(0.75)];

      let finish = (): void => {};
      finished = new Promise((resolve) => {
        finish = resolve;
      });
      const controller = new AbortController();
      const reading = nextRead();
      const running = model.run({ args: [image(0.25)] }, { signal: controller.signal });
      await reading;
      controller.abort(new Error("never mind"));
      const told = await running.then(() => "a result").catch((error: Error) => error.message);
      // Behind the aborted run, in the same buffers, before the page hears of either.
      const readingBehind = nextRead();
      const behind = scores(0.75);
      await readingBehind;
      finish();
      const answers = [await behind, await scores(0.25)];
      await model.dispose();
      await backend.dispose();
      return { told, same: answers.reverse().join() === expected.join() };
    }, `${ready.site.url}/digits/digits.pt2`);
    expect(outcome).toEqual({ told: "never mind", same: true });
  });

  test("an abort of a download on webgpu ends its requests and frees every buffer", async () => {
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
