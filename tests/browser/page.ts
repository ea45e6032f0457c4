import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { buildApp } from "./build-app.ts";
import { type Site, serve } from "./serve.ts";

/** The built application in a real browser, a new page for each test. */
export interface TestPage {
  readonly page: Page;
  readonly site: Site;
}

const ROOT = new URL("../../", import.meta.url);
/** Found by the test runner's configuration; empty where there is none. */
const { PT2_CHROMIUM: executablePath = "" } = process.env;

/** So that it runs unattended, also as root in a container. */
const ARGS = [
  ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** Declares tests of a page. Where there is no browser they are one skipped test that says so. */
export function describePage(name: string, isolated: boolean, declare: (ready: TestPage) => void): void {
  if (executablePath === "") {
    describe(name, () => test.skip("skipped: no Chromium found; install one, or set PT2_CHROMIUM to its path"));
    return;
  }
  describe(name, () => {
    let browser: Browser;
    const ready: { page?: Page; site?: Site } = {};

    beforeAll(async () => {
      const built = fileURLToPath(new URL(`.cache/browser/${process.pid}/`, ROOT));
      await buildApp(built);
      const folders = {
        "/fixtures/": fileURLToPath(new URL("tests/fixtures/", ROOT)),
        "/digits/": fileURLToPath(new URL("examples/digits/", ROOT)),
        "/": built,
      };
      ready.site = await serve({ folders, isolated });
      browser = await chromium.launch({ executablePath, args: ARGS });
    });

    afterAll(async () => {
      await browser?.close();
      await ready.site?.close();
    });

    // Workers of a test that failed end with its page.
    beforeEach(async () => {
      ready.page = await browser.newPage();
      await ready.page.goto(ready.site!.url);
    });

    afterEach(async () => {
      await ready.page?.close();
    });

    declare(ready as TestPage);
  });
}
