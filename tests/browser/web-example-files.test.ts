import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fixturePath } from "../src/fixture.ts";
import { describePage } from "./page.ts";
import { digitIsReady, runModel, section } from "./web-page.ts";

const MLP = "/fixtures/torch-2.13/mlp.pt2";

describePage("the example page and its files", { app: "examples/web" }, (ready) => {
  const heading = (name: string) => ready.page.getByRole("heading", { name, exact: true });
  const open = async (address: string): Promise<void> => {
    await ready.page.locator("#link").fill(address);
    await ready.page.getByRole("button", { name: "Open link" }).click();
  };
  /** Drops what `fill` puts into the transfer on the head of the page. */
  const drop = async (content: string, asLink: boolean): Promise<void> => {
    const transfer = await ready.page.evaluateHandle(
      ([text, isLink]) => {
        const data = new DataTransfer();
        if (isLink) data.setData("text/uri-list", text);
        else data.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], "dropped.pt2"));
        return data;
      },
      [content, asLink] as const,
    );
    await ready.page.dispatchEvent("header.top", "drop", { dataTransfer: transfer });
  };

  test("opens what is dropped wherever it is dropped: a file, a link", async () => {
    const { page } = ready;
    await digitIsReady(page);
    await drop(readFileSync(fixturePath("torch-2.13/mlp.pt2")).toString("base64"), false);
    await heading("dropped.pt2").waitFor();
    expect(await page.getByRole("tab", { name: "Open a model" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("tab", { name: "Draw a digit" }).click();
    await drop(`# a comment\r\n${ready.site.url}${MLP}\r\n`, true);
    await heading("mlp.pt2").waitFor();
  });

  test("keeps nothing of the file before: no address, no result, no title", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=${MLP}`);
    await runModel(page);
    expect(await page.title()).toBe("mlp.pt2 · pt2");
    const notes = { name: "notes.pt2", mimeType: "application/octet-stream", buffer: Buffer.from("no archive") };
    await page.setInputFiles("#model-file", notes);
    await page.getByText("notes.pt2 cannot be opened").waitFor();
    expect(await page.locator("#section-run").count()).toBe(0);
    expect(await page.locator("#link").inputValue()).toBe("");
    expect(new URL(page.url()).search).toBe("");
    expect(await page.title()).toBe("pt2 in your browser");
  });

  test("shows the file that was asked for last, whichever comes first", async () => {
    const { page } = ready;
    await page.getByRole("tab", { name: "Open a model" }).click();
    const held: (() => Promise<void>)[] = [];
    await page.route(
      ({ pathname }) => pathname === MLP,
      (route) => void held.push(() => route.continue()),
    );
    await open(MLP);
    await page.getByText("Opening mlp.pt2").waitFor();
    await open("/fixtures/torch-2.13/conv.pt2");
    await heading("conv.pt2").waitFor();
    await Promise.all(held.map((go) => go().catch(() => {})));
    await runModel(page);
    expect(await page.locator("#model h2").first().textContent()).toBe("conv.pt2");
    // Who opened it is led to it.
    expect(await page.title()).toBe("conv.pt2 · pt2");
  });

  test("opens another file while a run goes on that cannot be stopped", async () => {
    const { page } = ready;
    await page.addInitScript(() => {
      const send = Worker.prototype.postMessage;
      const page = { stopsMessages: false };
      Worker.prototype.postMessage = function (this: Worker, ...message: Parameters<typeof send>) {
        if (!page.stopsMessages) send.apply(this, message);
      } as typeof send;
      Object.assign(globalThis, { page });
    });
    await page.goto(`${ready.site.url}/?model=${MLP}`);
    await runModel(page);
    await page.evaluate(() => {
      (globalThis as unknown as { readonly page: { stopsMessages: boolean } }).page.stopsMessages = true;
    });
    await section(page, "run").getByRole("button", { name: "Run", exact: true }).click();
    await section(page, "run").getByText("Running on WebAssembly …").waitFor();
    await open("/fixtures/torch-2.13/conv.pt2");
    await heading("conv.pt2").waitFor();
  });

  test("shows the beginning of a long table, and all of it to those who ask", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=/fixtures/torch-2.13/attention_aten.pt2`);
    const ops = section(page, "ops");
    const rows = ops.getByRole("table", { name: "Ops" }).locator("tbody tr");
    await ops.getByRole("button", { name: /^Show all \d+$/ }).click();
    expect(await rows.count()).toBeGreaterThan(12);
    await ops.getByRole("button", { name: "Show the first 12" }).click();
    expect(await rows.count()).toBe(12);
  });

  test("tells weights that are damaged from a backend that fails", async () => {
    const { page } = ready;
    const bytes = readFileSync(fixturePath("torch-2.13/mlp.pt2"));
    // The mark at the begin of a record's header, which is 30 bytes before its name.
    bytes.write("X", bytes.indexOf("mlp/data/weights/weight_1") - 30);
    await page.getByRole("tab", { name: "Open a model" }).click();
    const damaged = { name: "damaged.pt2", mimeType: "application/octet-stream", buffer: bytes };
    await page.setInputFiles("#model-file", damaged);
    const run = section(page, "run");
    await run.getByRole("button", { name: "Run", exact: true }).click();
    const card = run.getByRole("alert");
    await card.getByText("The file cannot be read").waitFor();
    expect(await card.textContent()).not.toContain("WebAssembly");
  });

  test("says what is not an address, and what a page may not read", async () => {
    const { page } = ready;
    await page.getByRole("tab", { name: "Open a model" }).click();
    await open("http://");
    await page.getByText("This is not an address of a file.").waitFor();
    await open("file:///home/me/model.pt2");
    await page.getByText("A page may not read files by their address.").waitFor();
  });

  test("goes on where the user went while a model ran", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=${MLP}`);
    const run = section(page, "run").getByRole("button", { name: "Run", exact: true });
    await run.waitFor();
    const search = section(page, "graph").getByRole("searchbox");
    await page.evaluate(() => {
      document.querySelector<HTMLButtonElement>("#section-run .primary")!.click();
      document.querySelector<HTMLInputElement>("#section-graph input[type=search]")!.focus();
    });
    await section(page, "run").getByText("Done:").waitFor();
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
    await run.focus();
    await page.keyboard.press("Enter");
    await section(page, "run").locator(".results:not([aria-busy=true]) table").first().waitFor();
    expect(await run.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test("has a strip beside a large graph, and goes where it is pressed", async () => {
    const { page } = ready;
    await page.goto(`${ready.site.url}/?model=${MLP}`);
    const graph = section(page, "graph");
    await graph.waitFor();
    const nextFrame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    for (let frame = 0; frame < 3; frame++) {
      expect(await graph.locator(".overview").isVisible()).toBe(false);
      await nextFrame();
    }
    await page.goto(`${ready.site.url}/?model=/fixtures/torch-2.13/attention_aten.pt2`);
    const [strip, canvas] = [graph.locator(".overview"), graph.locator(".graph-canvas")];
    await strip.waitFor();
    const beginning = await canvas.screenshot();
    const { width, height } = (await strip.boundingBox())!;
    await strip.click({ position: { x: width / 2, y: height - 2 } });
    await expect.poll(async () => beginning.equals(await canvas.screenshot()), { timeout: 10_000 }).toBe(false);
  });

  test("works where a browser keeps nothing", async () => {
    const { page } = ready;
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    await page.goto(ready.site.url);
    await digitIsReady(page);
    await page.getByRole("button", { name: /^Use the (dark|light) theme$/ }).click();
    await page.getByRole("button", { name: "No WebGPU: WebAssembly" }).click();
    await page.getByText("What runs models here").waitFor();
  });
});
