import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describePage } from "./page.ts";

const RHYME =
  ", row, row your boat\nGently down the stream,\nMerrily, merrily, merrily, merrily,\nLife is but a dream.\n";

async function shows(page: Page, id: string, text: string | RegExp): Promise<void> {
  const shown = expect.poll(() => page.locator(`#${id}`).textContent(), { timeout: 60_000 });
  await (typeof text === "string" ? shown.toBe(text) : shown.toMatch(text));
}

for (const webgpu of [false, true]) {
  const name = webgpu ? "the page that writes, with WebGPU" : "the page that writes";
  describePage(name, { app: "examples/write", webgpu }, (ready) => {
    test("continues a text to its end, and says how fast", async () => {
      const { page } = ready;
      const problems: string[] = [];
      page.on("pageerror", (problem) => problems.push(String(problem)));
      await shows(page, "status", webgpu ? "Ready on WebGPU" : "Ready on WebAssembly");
      await page.getByRole("button", { name: "Continue" }).click();
      await shows(page, "status", "Done");
      expect(await page.locator("#text").textContent()).toBe(`Row${RHYME}`);
      await shows(page, "tokens", "103");
      await shows(page, "rate", /^[\d.]+$/);
      if (process.env.PT2_SCREENSHOT)
        await page.screenshot({ path: `${process.env.PT2_SCREENSHOT}write.png`, fullPage: true });
      expect(problems).toEqual([]);
    });

    test("stops, draws at random, and says what a model that is not there lacks", async () => {
      const { page } = ready;
      await shows(page, "status", /^Ready/);
      await page.locator("#temperature").fill("1.5");
      await shows(page, "temperature-text", "1.5");
      await page.getByRole("button", { name: "Continue" }).click();
      await shows(page, "tokens", /^\d+$/);
      await page
        .locator("#stop")
        .click({ force: true })
        .catch(() => {});
      await shows(page, "status", /^(Stopped|Done)$/);
      await page.locator("#model").fill(new URL("nothing", page.url()).href);
      await page.getByRole("button", { name: "Open" }).click();
      await shows(page, "status", /There is no tokenizer/);
    });
  });
}
