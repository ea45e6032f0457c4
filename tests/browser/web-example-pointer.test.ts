import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import { digitIsReady, runModel, section } from "./web-page.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

describePage("the example page under a pointer", { app: "examples/web" }, (ready) => {
  const openDigits = async (): Promise<void> => {
    await ready.page.getByRole("tab", { name: "Open a model" }).click();
    await ready.page.getByRole("button", { name: "Try the digits model" }).click();
    await section(ready.page, "graph").waitFor();
  };

  test("reads what a finger draws", async () => {
    const { page } = ready;
    await digitIsReady(page);
    const client = await page.context().newCDPSession(page);
    await client.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const pad = (await page.locator("#digit-pad").boundingBox())!;
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: readonly Point[]) =>
      client.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: points.map(({ x, y }) => ({ x: pad.x + x * pad.width, y: pad.y + y * pad.height })),
      });
    const scrolled = await page.evaluate(() => scrollY);
    // A seven: along the top, then down.
    await touch("touchStart", [{ x: 0.24, y: 0.12 }]);
    for (const x of [0.4, 0.6, 0.76]) await touch("touchMove", [{ x, y: 0.12 }]);
    for (const [x, y] of [
      [0.66, 0.32],
      [0.56, 0.55],
      [0.46, 0.9],
    ] as const)
      await touch("touchMove", [{ x, y }]);
    await touch("touchEnd", []);
    await page.locator("#digit-answer", { hasText: "7" }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  });

  test("chooses a box, opens a module, and moves the graph", async () => {
    const { page } = ready;
    await openDigits();
    const graph = section(page, "graph");
    await graph.getByRole("button", { name: "Close all modules" }).click();
    await graph.locator(".graph-canvas").scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await graph.locator(".graph-canvas").boundingBox())!;
    // The second of five boxes in a column that is centered.
    const features = { x: x + width / 2, y: y + height / 2 - 76 };
    await page.mouse.click(features.x, features.y);
    await graph.getByRole("heading", { name: "features" }).waitFor();
    await page.mouse.dblclick(features.x, features.y);
    await graph.getByText("13 nodes in 9 boxes").waitFor();

    await graph.getByRole("button", { name: "Close all modules" }).click();
    await page.mouse.move(features.x, features.y);
    await page.mouse.down();
    await page.mouse.move(features.x + 150, features.y, { steps: 5 });
    await page.mouse.up();
    expect(await graph.getByRole("heading", { name: "features" }).count()).toBe(0);
    await page.mouse.click(features.x + 150, features.y);
    await graph.getByRole("heading", { name: "features" }).waitFor();
  });

  test("goes from a time to its node", async () => {
    const { page } = ready;
    await openDigits();
    await runModel(page);
    const run = section(page, "run");
    await run.getByRole("radio", { name: "By node" }).check();
    await run.getByRole("button", { name: /^linear · linear/ }).click();
    const inspector = section(page, "graph").locator(".inspector");
    await inspector.getByRole("heading", { name: "aten::linear" }).waitFor();
    expect(await inspector.textContent()).toMatch(/Time([\d.]+ (µs|ms|s)|less than)/);
  });

  test("shows the branches of a program", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=/fixtures/torch-2.13/cond.pt2`);
    const choice = section(page, "graph").getByLabel("Graph", { exact: true });
    await choice.waitFor();
    const names = await choice.locator("option").allTextContents();
    expect(names[0]).toBe("program");
    expect(names.length).toBeGreaterThan(2);
    await choice.selectOption(names[1]!);
    await section(page, "graph")
      .getByText(/^\d+ nodes? in \d+ boxes$/)
      .waitFor();
  });
});
