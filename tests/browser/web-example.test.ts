import { readFileSync } from "node:fs";
import type { ConsoleMessage } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { difference, type Leaf } from "../src/difference.ts";
import { fixturePath, readCalls } from "../src/fixture.ts";
import { describePage } from "./page.ts";
import { digitIsReady, drawDigit, type OutputRow, runModel, savedOutputs, section } from "./web-page.ts";

const APP = { app: "examples/web", isolated: true } as const;

/** PyTorch's answer for the first recorded call of a fixture, in the page's words. */
async function expectedOf(name: string): Promise<readonly Partial<OutputRow>[]> {
  const [call] = await readCalls(fixturePath(name));
  return call!.expected.map((leaf: Leaf) => {
    if (typeof leaf !== "object" || leaf === null) throw new Error(`${name} has an output that is not a tensor`);
    const data = Array.from(leaf.data, Number);
    return { type: `${leaf.dtype} [${leaf.shape.join(", ")}]`, min: Math.min(...data), head: data.slice(0, 6) };
  });
}

function expectOutputs(rows: readonly OutputRow[], expected: readonly Partial<OutputRow>[]): void {
  expect(rows).toHaveLength(expected.length);
  rows.forEach((row, i) => {
    const { type, min, head } = expected[i]!;
    expect(row.type).toBe(type);
    expect(row.min).toBeCloseTo(min!, 3);
    row.head.forEach((value, k) => {
      expect(value).toBeCloseTo(head![k]!, 3);
    });
  });
}

for (const webgpu of [false, true]) {
  describePage(webgpu ? "the example page, with WebGPU" : "the example page", { ...APP, webgpu }, (ready) => {
    const problems: string[] = [];
    beforeEach(() => {
      problems.length = 0;
      ready.page.on("pageerror", (problem) => problems.push(String(problem)));
      ready.page.on("console", (message: ConsoleMessage) => {
        if (message.type() === "error") problems.push(message.text());
      });
    });
    afterEach(() => {
      expect(problems).toEqual([]);
    });

    const open = async (path: string): Promise<void> => {
      await ready.page.goto(`${ready.site.url}/?model=${path}`);
      await section(ready.page, "run").waitFor();
    };

    test("says which backends there are", async () => {
      const { page } = ready;
      await digitIsReady(page);
      const gpu = page.locator("#gpu");
      expect(await gpu.textContent()).toBe(webgpu ? "WebGPU" : "No WebGPU: WebAssembly");
      if (webgpu) return;
      expect(await page.locator("#digit-backend").textContent()).toContain("no graphics adapter that it may use");
      expect(await page.getByRole("radio", { name: "WebGPU" }).first().isDisabled()).toBe(true);
    });

    test("reads digits while they are drawn", async () => {
      const { page } = ready;
      await digitIsReady(page);
      for (const digit of [8, 2, 4]) {
        await drawDigit(page, digit);
        await page.locator("#digit-answer", { hasText: String(digit) }).waitFor();
        await page.locator(`.digit-bars li.best .digit:text-is("${digit}")`).waitFor();
        await page.getByRole("button", { name: "Clear" }).click();
        await page.locator("#digit-answer", { hasText: "?" }).waitFor();
      }
    });

    test("opens a file and gives PyTorch's results for its sample inputs", async () => {
      const { page } = ready;
      await page.getByRole("tab", { name: "Open a model" }).click();
      await page.setInputFiles("#model-file", fixturePath("torch-2.13/attention.pt2"));
      expectOutputs(await runModel(page), await expectedOf("torch-2.13/attention"));
      const [call] = await readCalls(fixturePath("torch-2.13/attention"));
      const saved = await savedOutputs(page);
      expect(call!.expected.map((leaf, i) => difference(saved[i], leaf))).toEqual([null, null]);
      await section(page, "run").locator(".time-bars li").first().waitFor();
    });

    test("opens an address and gives PyTorch's results on every backend", async () => {
      const { page } = ready;
      await open("/fixtures/torch-2.13/conv.pt2");
      const expected = await expectedOf("torch-2.13/conv");
      const wasm = section(page, "run").getByRole("radio", { name: "WebAssembly" });
      // Where there is a GPU it is chosen.
      expect(await wasm.isChecked()).toBe(!webgpu);
      expectOutputs(await runModel(page), expected);
      if (!webgpu) return;
      await wasm.check();
      expectOutputs(await runModel(page), expected);
    });

    test("opens a file that is dropped", async () => {
      const { page } = ready;
      await page.getByRole("tab", { name: "Open a model" }).click();
      const content = readFileSync(fixturePath("torch-2.13/mlp.pt2")).toString("base64");
      const transfer = await page.evaluateHandle((base64) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], "dropped.pt2"));
        return transfer;
      }, content);
      await page.dispatchEvent("#drop", "drop", { dataTransfer: transfer });
      await page.getByRole("heading", { name: "dropped.pt2" }).waitFor();
      expectOutputs(await runModel(page), await expectedOf("torch-2.13/mlp"));
    });

    test("makes random inputs of the sizes that are asked for", async () => {
      const { page } = ready;
      await open("/fixtures/torch-2.13/dynamic.pt2");
      const run = section(page, "run");
      await run.getByRole("radio", { name: "Random inputs" }).check();
      await run.getByLabel("Size s23").fill("5");
      await run.getByLabel("Size s27").fill("9");
      const rows = await runModel(page);
      expect(rows.map(({ type }) => type)).toEqual(["float32 [5, 72]", "float32 [10, 2]", "float32 [5, 4]"]);
    });
  });
}
