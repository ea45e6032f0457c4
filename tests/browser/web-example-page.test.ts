import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import { digitIsReady, runModel, section } from "./web-page.ts";

const MLP = "/?model=/fixtures/torch-2.13/mlp.pt2";

describePage("the example page and its users", { app: "examples/web" }, (ready) => {
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await ready.page.keyboard.press(key);
  };
  const focused = (): Promise<string> => ready.page.evaluate(() => document.activeElement?.id ?? "");

  test("works with the keyboard alone: a digit", async () => {
    const { page } = ready;
    await digitIsReady(page);
    await press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    for (let i = 0; (await focused()) !== "digit-pad" && i < 10; i++) await press("Tab");
    expect(await focused()).toBe("digit-pad");
    // A vertical line is a one.
    await press("Space", ...new Array<string>(14).fill("ArrowDown"), "Space");
    await page.locator("#digit-answer", { hasText: "1" }).waitFor();
    await page.locator("#digit-spoken", { hasText: "It looks like a 1" }).waitFor({ state: "attached" });
    await press("Escape");
    await page.locator("#digit-answer", { hasText: "?" }).waitFor();
  });

  test("works with the keyboard alone: a model", async () => {
    const { page } = ready;
    await page.locator("#tab-draw").focus();
    await press("ArrowRight");
    expect(await focused()).toBe("tab-open");
    await page.locator("#link").focus();
    await page.keyboard.type("/fixtures/torch-2.13/mlp.pt2");
    await press("Enter");
    const graph = section(page, "graph");
    await graph.locator(".graph-canvas").focus();
    await press("ArrowDown", "ArrowDown");
    const inspector = graph.locator(".inspector");
    await inspector.getByRole("heading", { name: "aten::linear" }).waitFor();
    expect(await inspector.textContent()).toMatch(/\.py:\d+, in forward/);
    await section(page, "run").getByRole("button", { name: "Run", exact: true }).focus();
    await press("Enter");
    await section(page, "run").getByRole("table", { name: "Outputs" }).waitFor();
  });

  test("the example page is light or dark as the system is, until the user decides", async () => {
    const { page } = ready;
    const shade = (): Promise<number> =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)?.[0]));
    await page.emulateMedia({ colorScheme: "light" });
    expect(await shade()).toBeGreaterThan(200);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await shade()).toBeLessThan(60);
    await page.getByRole("button", { name: "Use the light theme" }).click();
    expect(await shade()).toBeGreaterThan(200);
    await page.reload();
    expect(await shade()).toBeGreaterThan(200);
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    expect(await shade()).toBeLessThan(60);
  });

  test("fits a phone", async () => {
    const { page } = ready;
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await digitIsReady(page);
    expect(await overflow()).toBe(0);
    await page.goto(ready.site.url + MLP);
    await runModel(page);
    expect(await overflow()).toBe(0);
  });

  test("says what is wrong with a file, where, and what to do", async () => {
    const { page } = ready;
    await page.getByRole("tab", { name: "Open a model" }).click();
    await page.setInputFiles("#model-file", {
      name: "notes.pt2",
      mimeType: "application/octet-stream",
      buffer: Buffer.from("this is not an archive"),
    });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/notes\.pt2 cannot be opened.*What to do.*Codeformat\./s);
    await page.locator("#link").fill("/fixtures/absent.pt2");
    await page.getByRole("button", { name: "Open link" }).click();
    await alert.getByText("The server answered 404").waitFor();
  });

  test("finds nodes, opens modules, and tells which backends run an op", async () => {
    const { page } = ready;
    await page.getByRole("tab", { name: "Open a model" }).click();
    await page.getByRole("button", { name: "Try the digits model" }).click();
    const graph = section(page, "graph");
    await graph.getByRole("button", { name: "Close all modules" }).click();
    await graph.getByText("13 nodes in 5 boxes").waitFor();
    await graph.getByRole("searchbox").fill("conv2d");
    await graph.getByText("3 found").waitFor();
    await press("Enter", "Enter");
    await graph.getByText("2 of 3").waitFor();
    await graph.getByRole("heading", { name: "aten::conv2d" }).waitFor();
    expect(await graph.locator(".inspector").textContent()).toContain("features.1.0");
    const weights = section(page, "weights");
    await weights.getByText("Every tensor (20)").click();
    const bias = weights.getByRole("row", { name: /classifier\.bias/ });
    expect(await bias.textContent()).toContain("float32 [10]");
    const row = section(page, "ops").getByRole("row", { name: /aten::conv2d/ });
    expect(await row.textContent()).toContain("✓");
  });

  test("shows the progress of a load, which can be canceled", async () => {
    const { page } = ready;
    // What is said to workers comes to them when the test says so.
    await page.addInitScript(() => {
      const send = Worker.prototype.postMessage;
      const held: (() => void)[] = [];
      let holds = false;
      Worker.prototype.postMessage = function (this: Worker, ...message: Parameters<typeof send>) {
        const deliver = (): void => send.apply(this, message);
        if (holds) held.push(deliver);
        else deliver();
      } as typeof send;
      const deliverMessages = (): void => {
        holds = false;
        for (const deliver of held.splice(0)) deliver();
      };
      const holdMessages = (): void => {
        holds = true;
      };
      Object.assign(globalThis, { holdMessages, deliverMessages });
    });
    await page.goto(ready.site.url + MLP);
    const run = section(page, "run");
    await run.getByRole("button", { name: "Run", exact: true }).waitFor();
    await page.evaluate(() => (globalThis as unknown as { readonly holdMessages: () => void }).holdMessages());
    await run.getByRole("button", { name: "Run", exact: true }).click();
    await run.getByRole("progressbar").waitFor();
    await run.getByRole("button", { name: "Cancel" }).click();
    await page.evaluate(() => (globalThis as unknown as { readonly deliverMessages: () => void }).deliverMessages());
    await run.getByText("Canceled.").waitFor();
    expect(await runModel(page)).toHaveLength(1);
  });

  test("stops opening a file when it is told to", async () => {
    const { page } = ready;
    await page.route(
      ({ pathname }) => pathname.endsWith("/mlp.pt2"),
      () => {},
    );
    await page.goto(ready.site.url + MLP);
    await page.locator("#model-status").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Canceled.").waitFor();
  });

  test("loads no backend before one is needed", async () => {
    const { page, site } = ready;
    await page.goto("about:blank");
    const asked: string[] = [];
    const note = (request: { url(): string }): void => void asked.push(new URL(request.url()).pathname);
    page.on("request", note);
    await page.goto(`${site.url}/#open`);
    await page.getByRole("button", { name: "Choose a .pt2 file" }).waitFor();
    page.off("request", note);
    // The page's own code, and what Vite's imports on demand need.
    const scripts = asked
      .filter((path) => path.endsWith(".js"))
      .map((path) => /([\w-]+)-[\w-]{8}\.js$/.exec(path)?.[1]);
    expect(scripts.sort()).toEqual(["index", "preload-helper"]);
  });
});
