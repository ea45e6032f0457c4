import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Boxes, here, overlap, SCENES } from "../../examples/detect-node/src/scenes.test-helper.ts";
import { describePage } from "./page.ts";

const APP = "examples/detect-web";
const LABELS: readonly string[] = JSON.parse(readFileSync(here("digits-and-shapes.json"), "utf8")).labels;

/** What the page lists. */
async function listed(page: Page): Promise<Boxes> {
  const rows = await page.locator("#found li").evaluateAll((items) =>
    items.map((item) => ({
      label: item.querySelector(".label")!.textContent!,
      box: (item as HTMLElement).title.match(/\d+/g)!.map(Number) as [number, number, number, number],
    })),
  );
  return { labels: rows.map(({ label }) => LABELS.indexOf(label)), boxes: rows.map(({ box }) => box) };
}

/** Waits until the list has what PyTorch finds in the scene, in its order, at the same places within a pixel or two. */
async function showsScene(page: Page, index: number): Promise<void> {
  const { found } = SCENES[index]!;
  await expect.poll(async () => (await listed(page)).labels).toEqual(found.labels);
  const { boxes } = await listed(page);
  for (const [i, box] of boxes.entries()) expect(overlap(box, found.boxes[i]!)).toBeGreaterThan(0.9);
}

/** A film of one scene for the camera of the browser. */
function makeFilm(index: number): string {
  const folder = fileURLToPath(new URL("../../.cache/browser/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const path = `${folder}scene-${index}-${process.pid}.mjpeg`;
  const frame = readFileSync(here(`scenes/${SCENES[index]!.picture}`));
  writeFileSync(path, Buffer.concat(Array.from({ length: 10 }, () => frame)));
  return path;
}

async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.PT2_SCREENSHOT)
    await page.screenshot({ path: `${process.env.PT2_SCREENSHOT}${name}.png`, fullPage: true });
}

/** How far the layout has moved so far, as browsers measure it. */
const SHIFTS = () =>
  new Promise<number>((resolve) => {
    new PerformanceObserver((list) => {
      resolve(list.getEntries().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0));
    }).observe({ type: "layout-shift", buffered: true });
    // An observer of nothing is never called.
    setTimeout(() => resolve(0), 500);
  });

for (const webgpu of [false, true]) {
  const name = webgpu ? "the page that detects, with WebGPU" : "the page that detects";
  describePage(name, { app: APP, webgpu, film: makeFilm(0) }, (ready) => {
    test("finds in its samples what PyTorch finds, and nothing on the page moves", async () => {
      const { page } = ready;
      const problems: string[] = [];
      page.on("pageerror", (problem) => problems.push(String(problem)));
      await showsScene(page, 0);
      expect(await page.locator("[name=backend]:checked").inputValue()).toBe(webgpu ? "webgpu" : "wasm");
      expect(await page.locator("[value=webgpu]").isDisabled()).toBe(!webgpu);
      await page.getByRole("button", { name: "Scene 2" }).click();
      await showsScene(page, 1);
      expect(await page.locator("#milliseconds").textContent()).toMatch(/^[\d.]+ ms$/);
      await screenshot(page, webgpu ? "webgpu" : "wasm");
      expect(await page.evaluate(SHIFTS)).toBe(0);
      expect(problems).toEqual([]);
    });

    test("draws boxes live over what the camera sees, says how often, and goes back to pictures", async () => {
      const { page } = ready;
      await showsScene(page, 0);
      await page.getByRole("button", { name: "Scene 3" }).click();
      await showsScene(page, 2);
      await page.getByRole("button", { name: "Use the camera" }).click();
      await expect.poll(() => page.locator("#rate").textContent()).toMatch(/^[\d.]+$/);
      await expect
        .poll(async () => [...(await listed(page)).labels].sort())
        .toEqual([...SCENES[0]!.found.labels].sort());
      expect(await page.locator("#status").textContent()).toMatch(/^Watching/);
      await screenshot(page, webgpu ? "camera-webgpu" : "camera");
      await page.getByRole("button", { name: "Stop the camera" }).click();
      await page.locator("#status", { hasText: /^Found/ }).waitFor();
      expect(await page.locator("#video").evaluate((video: HTMLVideoElement) => video.srcObject)).toBeNull();
    });
  });
}

describePage("the page that detects, with what a user gives it", { app: APP }, (ready) => {
  test("shows only what reaches the minimum score, at once", async () => {
    const { page } = ready;
    await showsScene(page, 0);
    const { labels, scores } = SCENES[0]!.found;
    const sure = labels.filter((_, i) => scores[i]! >= 0.92);
    expect(sure.length).toBeGreaterThan(0);
    expect(sure.length).toBeLessThan(labels.length);
    await page.getByRole("slider", { name: "Minimum score" }).fill("92");
    expect((await listed(page)).labels).toEqual(sure);
    await page.getByRole("slider", { name: "Minimum score" }).fill("50");
    await showsScene(page, 0);
  });

  test("reads a picture that is chosen, and says when it is none", async () => {
    const { page } = ready;
    await showsScene(page, 0);
    const status = page.locator("#status");
    await page.setInputFiles("#file", here(`scenes/${SCENES[3]!.picture}`));
    await showsScene(page, 3);
    await page.setInputFiles("#file", here("README.md"));
    await status.filter({ hasText: "README.md is not a picture that this browser can read." }).waitFor();
    // What was shown stays.
    await showsScene(page, 3);
  });

  test("says that a picture has nothing in it", async () => {
    const { page } = ready;
    const empty = SCENES.find(({ boxes }) => boxes.length === 0)!;
    await showsScene(page, 0);
    await page.setInputFiles("#file", here(`scenes/${empty.picture}`));
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    expect(await page.locator("#found li").count()).toBe(0);
  });

  test("opens another detector from files and from an address, and says what is missing", async () => {
    const { page, site } = ready;
    await showsScene(page, 0);
    const [status, model] = [page.locator("#status"), page.locator("#model-name")];
    const files = ["digits-and-shapes.pt2", "digits-and-shapes.json"].map(here);
    await page.setInputFiles("#model-files", files[0]!);
    await status.filter({ hasText: "Choose the .json of digits-and-shapes.pt2 together with it" }).waitFor();
    const facts = { ...JSON.parse(readFileSync(files[1]!, "utf8")), labels: LABELS.map((label) => `a ${label}`) };
    await page.setInputFiles("#model-files", [
      { name: "mine.pt2", mimeType: "", buffer: readFileSync(files[0]!) },
      { name: "mine.json", mimeType: "", buffer: Buffer.from(JSON.stringify(facts)) },
    ]);
    await model.filter({ hasText: "mine.pt2" }).waitFor();
    await status.filter({ hasText: /^Found/ }).waitFor();
    expect(await page.locator("#found .label").first().textContent()).toMatch(/^a /);
    await page.locator("#model summary").click();
    await page.getByLabel("Address of a .pt2 file").fill(`${site.url}/nowhere.pt2`);
    await page.getByRole("button", { name: "Open" }).click();
    await status.filter({ hasText: "nowhere.json cannot be read: the server answers 404." }).waitFor();
    await page.goto(`${site.url}/?model=detector/digits-and-shapes.pt2`);
    await showsScene(page, 0);
  });

  test("says that there is no camera, and goes on", async () => {
    const { page } = ready;
    await showsScene(page, 0);
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.locator("#status.problem", { hasText: "This device has no camera" }).waitFor();
    await page.getByRole("button", { name: "Scene 2" }).click();
    await showsScene(page, 1);
  });

  test("fits on a phone", async () => {
    const { page } = ready;
    await page.setViewportSize({ width: 375, height: 740 });
    await showsScene(page, 0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    await screenshot(page, "phone");
    expect(width).toBe(375);
  });
});
