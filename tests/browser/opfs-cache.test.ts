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

  test("loads a model without a network, once it was loaded", async () => {
    const answer = (options: object = {}): Promise<string> =>
      ready.page.evaluate(
        async ({ address, options }) => {
          const { load, tensor, webgpu, cached } = globalThis.gpu;
          const backend = await webgpu();
          try {
            const model = await load(await cached(address, options), { backend });
            const image = tensor("float32", [1, 1, 8, 8], new Array(64).fill(0.5));
            const scores = Array.from(await (await model.forward({ image })).read(), Number);
            await model.dispose();
            return scores.join();
          } catch (error) {
            return (error as { readonly code: string }).code;
          } finally {
            await backend.dispose();
          }
        },
        // Relative: it is the same file wherever it is named from.
        { address: "/digits/digits.pt2", options },
      );
    const asked = (): number => ready.site.requests.filter(({ path }) => path.endsWith("digits.pt2")).length;
    const context = ready.page.context();
    // What loads on demand is loaded: the page itself is not the matter here.
    await ready.page.evaluate(async (address) => {
      const { load, webgpu } = globalThis.gpu;
      const backend = await webgpu();
      await (await load(address, { backend })).dispose();
      await backend.dispose();
    }, "/digits/digits.pt2");
    await context.setOffline(true);
    expect(await answer()).toBe("format.io");
    await context.setOffline(false);
    const online = await answer();
    expect(online.split(",")).toHaveLength(10);
    await context.setOffline(true);
    expect(await answer()).toBe(online);
    await context.setOffline(false);
    const before = asked();
    expect(await answer({ revalidate: false })).toBe(online);
    expect(asked()).toBe(before);
    await ready.page.evaluate(() => globalThis.gpu.clearCache());
    expect(await answer({ revalidate: false })).toBe(online);
    expect(asked()).toBeGreaterThan(before);
    // A server that answers is believed, whatever it says.
    await ready.page.route("**/digits.pt2", (route) => route.fulfill({ status: 410 }));
    expect(await answer()).toBe("format.io");
  });

  test("reads what was not kept when the network is back, unless the file is another one by then", async () => {
    const outcome = await ready.page.evaluate(async () => {
      const { cached } = globalThis.gpu;
      const part = 2 ** 21;
      let file = Uint8Array.from({ length: 3 * part }, (_, i) => (i * 31 + (i >> 9)) & 255);
      let reachable = true;
      const answer: typeof fetch = async (_, init) => {
        if (!reachable) throw new TypeError("Failed to fetch");
        const range = new Headers(init?.headers).get("range")!;
        const [from, to] = range.slice("bytes=".length).split("-").map(Number) as [number, number];
        const headers = { "Content-Range": `bytes ${from}-${to}/${file.length}` };
        return new Response(file.slice(from, to + 1), { status: 206, headers });
      };
      const address = "https://models.example/model.pt2";
      const open = () => cached(address, { fetch: answer });
      const sum = (bytes: Uint8Array): number => bytes.reduce((total, value) => total + value, 0);
      const expected = [sum(file.subarray(0, part)), sum(file.subarray(part, 2 * part))];
      const first = await open();
      await first.read(0, part);
      await first.close?.();
      reachable = false;
      const offline = await open();
      const kept = sum(await offline.read(0, part)) === expected[0];
      const refused = await offline.read(part, part).catch((error: Error) => error.message);
      reachable = true;
      const back = sum(await offline.read(part, part)) === expected[1];
      await offline.close?.();
      reachable = false;
      const later = await open();
      reachable = true;
      file = file.map((value) => value ^ 1);
      const changed = await later.read(2 * part, part).catch((error: Error) => error.message);
      return { kept, refused: String(refused), back, changed: String(changed) };
    });
    expect(outcome).toEqual({
      kept: true,
      refused: expect.stringContaining("the request failed"),
      back: true,
      changed: expect.stringContaining("changed on the server"),
    });
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
