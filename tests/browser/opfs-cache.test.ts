import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type {} from "./webgpu/main.ts";

const APP = { webgpu: true, app: "tests/browser/webgpu", sources: true } as const;

describePage("a cache in the origin private file system", APP, (ready) => {
  test("keeps a model: the second load reads its end alone", async () => {
    const address = `${ready.site.url}/digits/digits.pt2`;
    const asked = (): number => ready.site.requests.filter(({ path }) => path.endsWith("digits.pt2")).length;
    const once = (): Promise<{ readonly scores: number[]; readonly read: number }> =>
      ready.page.evaluate(async (address) => {
        const { load, tensor, webgpu, cached } = globalThis.gpu;
        const backend = await webgpu();
        let read = 0;
        const onProgress = (progress: { readonly stage: string; readonly done: number }): void => {
          if (progress.stage === "weights") read = progress.done;
        };
        const model = await load(await cached(address), { backend, onProgress });
        const image = tensor("float32", [1, 1, 8, 8], new Array(64).fill(0.5));
        const scores = Array.from(await (await model.forward({ image })).read(), Number);
        await model.dispose();
        await backend.dispose();
        return { scores, read };
      }, address);
    const first = await once();
    const afterFirst = asked();
    const second = await once();
    expect(second).toEqual(first);
    expect(first.read).toBeGreaterThan(0);
    // Its size, and its end.
    expect(asked() - afterFirst).toBeLessThanOrEqual(2);
    expect(await ready.page.evaluate(() => globalThis.gpu.cacheUsage())).toBe(2 ** 21);
  });

  test("goes on where a download broke off, and gives the bytes that were there", async () => {
    const outcome = await ready.page.evaluate(async () => {
      const { cached, clearCache, cacheUsage } = globalThis.gpu;
      const size = 7_000_001;
      const part = 2 ** 21;
      const reads: number[] = [];
      const byte = (at: number): number => (at * 31 + (at >> 9)) & 255;
      const source = {
        size,
        read: async (offset: number, length: number): Promise<Uint8Array> => {
          if (length === part) reads.push(offset / part);
          return Uint8Array.from({ length }, (_, i) => byte(offset + i));
        },
      };
      const controller = new AbortController();
      const first = await cached(source);
      await first.read(0, part, { signal: controller.signal });
      await first.read(part + 5, 10);
      controller.abort(new Error("never mind"));
      const aborted = await first.read(0, size, { signal: controller.signal }).catch((error: Error) => error.message);
      await first.close!();
      const usage = await cacheUsage();
      const before = reads.splice(0);
      const second = await cached(source);
      const all = await second.read(0, size);
      await second.close!();
      const wrong = all.findIndex((value, at) => value !== byte(at));
      const into = new Uint8Array(100);
      const spanning = await (await cached(source)).read(part - 50, 100, { into });
      const same = spanning.every((value, i) => value === byte(part - 50 + i)) && spanning.buffer === into.buffer;
      const after = reads.splice(0);
      await clearCache();
      return { aborted, before, usage, wrong, after, same, left: await cacheUsage() };
    });
    expect(outcome).toEqual({
      aborted: "never mind",
      before: [0, 1],
      usage: 2 * 2 ** 21,
      wrong: -1,
      // The last part is smaller, and is not among those that are counted.
      after: [2],
      same: true,
      left: 0,
    });
  });

  test("forgets what was not used for the longest time, and takes nothing that is too large", async () => {
    const usages = await ready.page.evaluate(async () => {
      const { cached, clearCache, cacheUsage } = globalThis.gpu;
      await clearCache();
      const part = 2 ** 21;
      let reads = 0;
      const use = async (fill: number, limit: number): Promise<number> => {
        const read = async (_: number, length: number): Promise<Uint8Array> => {
          if (length === part) reads++;
          return new Uint8Array(length).fill(fill);
        };
        const source = await cached({ size: 2 * part, read }, { limit });
        await source.read(0, 2 * part);
        await source.close?.();
        // Times of files are no finer than milliseconds.
        await new Promise((resolve) => setTimeout(resolve, 20));
        return (await cacheUsage()) / part;
      };
      const usages = [];
      for (const fill of [1, 2, 1, 3]) usages.push(await use(fill, 5 * part));
      const sofar = reads;
      // The first was used again after the second, so it is still there.
      usages.push(await use(1, 5 * part));
      const again = reads - sofar;
      usages.push(await use(4, part));
      return { usages, again };
    });
    expect(usages).toEqual({ usages: [2, 4, 4, 4, 4, 4], again: 0 });
  });
});
