import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { describePage, type TestPage } from "./page.ts";

/** Bytes of gzipped scripts that were asked for, by the page and by its workers. */
async function downloaded({ site }: TestPage): Promise<{ readonly bytes: number; readonly files: number }> {
  const scripts = new Set(site.requests.map(({ path }) => path).filter((path) => path.endsWith(".js")));
  let bytes = 0;
  for (const path of scripts) {
    bytes += gzipSync(Buffer.from(await (await fetch(site.url + path)).arrayBuffer())).length;
  }
  return { bytes, files: scripts.size };
}

interface Budget {
  /** What a page may ask for before it opens a file. */
  readonly before: number;
  /** What it and its workers may have asked for when a convolutional network has answered. */
  readonly after: number;
}

async function measure(ready: TestPage, answer: () => Promise<readonly number[]>, budget: Budget): Promise<void> {
  await ready.page.waitForLoadState("networkidle");
  const before = await downloaded(ready);
  expect(await answer()).toEqual([1, 10]);
  const after = await downloaded(ready);
  console.info(
    `before a file: ${before.bytes} bytes gzipped; with the network's answer: ${after.bytes} bytes in ${after.files} files`,
  );
  expect(before.bytes).toBeLessThan(budget.before);
  expect(after.bytes).toBeLessThan(budget.after);
}

describePage("what a page with WebGPU downloads", { app: "tests/browser/smallest", webgpu: true }, (ready) => {
  test("for a convolutional network on the GPU, and nothing that only others need", async () => {
    const answer = () =>
      ready.page.evaluate(async () => {
        const { load, tensor, webgpu } = globalThis.smallest;
        const model = await load(await (await fetch("digits/digits.pt2")).blob(), { backend: await webgpu() });
        const digit = tensor("float32", [1, 1, 8, 8], new Float32Array(64));
        return (await model.forward<ReturnType<typeof tensor>>(digit)).shape;
      });
    await measure(ready, answer, { before: 60_000, after: 140_000 });
  });
});

describePage("what a page with wasm downloads", { app: "tests/browser/smallest-wasm" }, (ready) => {
  test("for a convolutional network in a worker, and nothing that only others need", async () => {
    const answer = () =>
      ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.smallestWasm;
        const model = await load(await (await fetch("digits/digits.pt2")).blob(), { backend: wasm() });
        const digit = tensor("float32", [1, 1, 8, 8], new Float32Array(64));
        return (await model.forward<ReturnType<typeof tensor>>(digit)).shape;
      });
    await measure(ready, answer, { before: 60_000, after: 220_000 });
  });
});
