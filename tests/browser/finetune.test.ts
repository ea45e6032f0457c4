import { expect, test } from "vitest";
import { downloaded } from "./downloaded.ts";
import { describePage } from "./page.ts";

/** Enough steps to have learned; a test of the whole run would wait for a software GPU. */
const STEPS = 100;

for (const webgpu of [false, true]) {
  const name = webgpu ? "the page that trains, with WebGPU" : "the page that trains";
  describePage(name, { app: "examples/finetune", webgpu }, (ready) => {
    test("learns to read, shows what it says, pauses, and saves", async () => {
      const { page, site } = ready;
      const problems: string[] = [];
      page.on("pageerror", (problem) => problems.push(String(problem)));
      await page.goto(site.url);
      const status = page.locator("#status");
      await page.waitForFunction(
        (least) => Number(/^Step (\d+)/.exec(document.getElementById("status")!.textContent!)?.[1]) >= least,
        STEPS,
      );
      expect(await page.locator("#backend").textContent()).toBe(webgpu ? "webgpu" : "wasm");

      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Resume" }).waitFor();
      // The step that was under way ends.
      await page.waitForTimeout(1000);
      const paused = await status.textContent();
      await page.waitForTimeout(500);
      expect(await status.textContent()).toBe(paused);

      expect(Number.parseFloat((await page.locator("#accuracy").textContent())!)).toBeGreaterThan(80);
      expect(Number(await page.locator("#loss").textContent())).toBeLessThan(0.5);
      const pictures = page.locator("#pictures li");
      expect(await pictures.count()).toBe(24);
      expect(await page.locator("#pictures li.right").count()).toBeGreaterThan(18);
      const drawn = await page.evaluate(() => {
        const canvas = document.getElementById("losses") as HTMLCanvasElement;
        const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value !== 0);
      });
      expect(drawn).toBe(true);

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("trained.pt2");
      if (process.env.PT2_SCREENSHOT) await page.screenshot({ path: process.env.PT2_SCREENSHOT, fullPage: true });
      expect(problems).toEqual([]);
      const { bytes, files } = await downloaded(ready);
      console.info(`the page that trains on ${webgpu ? "webgpu" : "wasm"}: ${bytes} bytes gzipped in ${files} files`);
    });
  });
}
