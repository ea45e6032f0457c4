import { beforeAll, describe, expect, test } from "vitest";
import { makeModel, missingModel } from "../../examples/finetune/src/sentiment-model.test-helper.ts";
import { describePage } from "./page.ts";

describe.skipIf(missingModel !== "")(`a sentence encoder${missingModel}`, () => {
  beforeAll(makeModel, 300_000);

  // Behind the step that shows what was judged. A software GPU takes long for a step of this size, so it takes few.
  for (const { webgpu, steps, least } of [
    { webgpu: false, steps: 41, least: 90 },
    { webgpu: true, steps: 2, least: 30 },
  ]) {
    const name = webgpu ? "the page that trains it, with WebGPU" : "the page that trains it";
    describePage(name, { app: "examples/finetune", webgpu }, (ready) => {
      test("learns to tell praise from blame, shows it, and judges what the user writes", async () => {
        const { page, site } = ready;
        const problems: string[] = [];
        page.on("pageerror", (problem) => problems.push(String(problem)));
        await page.goto(`${site.url}/sentiment.html`);
        const rows = page.locator("#sentences tbody tr");
        await page.waitForFunction(
          (count) => Number(/^Step (\d+)/.exec(document.getElementById("status")!.textContent!)?.[1]) >= count,
          steps,
        );
        await page.getByRole("button", { name: "Pause" }).click();
        expect(await page.locator("#backend").textContent()).toBe(webgpu ? "webgpu" : "wasm");
        expect(await rows.count()).toBe(8);
        expect(Number(await page.locator("#loss").textContent())).toBeLessThan(1);
        expect(Number.parseFloat((await page.locator("#accuracy").textContent())!)).toBeGreaterThan(least);
        expect(await page.locator("#sentences tbody td:nth-child(2):not(:empty)").count()).toBe(8);

        await page.getByLabel("A sentence of yours").fill("Dinner with you was a delight.");
        await page.getByRole("button", { name: "Judge" }).click();
        await page.waitForFunction(() => document.querySelectorAll("#sentences tbody tr").length === 9);
        expect(await rows.last().textContent()).toMatch(/^Dinner with you was a delight\.(praise|blame) \d+ %$/);
        if (!webgpu) expect(await rows.last().textContent()).toContain("praise");
        if (process.env.PT2_SCREENSHOT && !webgpu)
          await page.screenshot({ path: process.env.PT2_SCREENSHOT, fullPage: true });
        expect(problems).toEqual([]);
      });
    });
  }
});
