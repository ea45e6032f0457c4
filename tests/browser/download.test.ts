import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { describePage } from "./page.ts";

/** Bytes of gzipped scripts that a page with a convolutional network may ask for, from its first to its first answer. */
const BUDGET = 122_000;
/** Of these, what it asks for before it opens a file. */
const BUDGET_BEFORE = 67_000;

describePage("what a page downloads", { app: "tests/browser/smallest", webgpu: true }, (ready) => {
  test("for a convolutional network on the GPU, and nothing that only others need", async () => {
    const sizes = new Map<string, Promise<number>>();
    const total = async (): Promise<number> => (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    ready.page.on("response", (response) => {
      const url = response.url();
      if (url.endsWith(".js")) {
        sizes.set(
          url,
          response.body().then((body) => gzipSync(body).length),
        );
      }
    });
    await ready.page.reload({ waitUntil: "networkidle" });
    const before = await total();
    const shape = await ready.page.evaluate(async () => {
      const { load, tensor, webgpu } = globalThis.smallest;
      const model = await load(await (await fetch("digits/digits.pt2")).blob(), { backend: await webgpu() });
      const digit = tensor("float32", [1, 1, 8, 8], new Float32Array(64));
      return (await model.forward<ReturnType<typeof tensor>>(digit)).shape;
    });
    expect(shape).toEqual([1, 10]);
    const after = await total();
    const files = `${sizes.size} files`;
    console.info(`before a file: ${before} bytes gzipped; with the network's answer: ${after} bytes in ${files}`);
    expect(before).toBeLessThan(BUDGET_BEFORE);
    expect(after).toBeLessThan(BUDGET);
  });
});
