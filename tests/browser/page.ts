import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { type BrowserOptions, launchBrowser, missingBrowser } from "./browser.ts";
import { buildApp } from "./build-app.ts";
import { type Site, serve } from "./serve.ts";

/** The built application in a real browser, a new page for each test. */
export interface TestPage {
  readonly page: Page;
  readonly site: Site;
}

/** Which page, and where it runs. */
export interface PageOptions extends BrowserOptions {
  /** Sends the headers that make pages cross-origin isolated. @default false */
  readonly isolated?: boolean;
  /** The application's folder, from the root. @default "tests/browser/app" */
  readonly app?: string;
  /** Builds from the packages' sources instead of from what they publish. @default false */
  readonly sources?: boolean;
}

const ROOT = new URL("../../", import.meta.url);

/** Declares tests of a page. Where there is no browser they are one skipped test that says so. */
export function describePage(
  name: string,
  { isolated = false, app = "tests/browser/app", sources = false, ...browserOptions }: PageOptions,
  declare: (ready: TestPage) => void,
): void {
  if (missingBrowser !== "") {
    describe(name, () => test.skip(missingBrowser));
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    const ready: { page?: Page; site?: Site } = {};
    const built = fromRoot(`.cache/browser/${process.pid}/`);

    beforeAll(async () => {
      await buildApp({ root: fromRoot(app), outDir: built, sources });
      const folders = {
        "/fixtures/": fromRoot("tests/fixtures/"),
        "/digits/": fromRoot("examples/digits/"),
        "/": built,
      };
      ready.site = await serve({ folders, isolated });
      browser = await launchBrowser(browserOptions);
    });

    afterAll(async () => {
      await browser?.close();
      await ready.site?.close();
      rmSync(built, { recursive: true, force: true });
    });

    // Workers of a test that failed end with its page.
    beforeEach(async () => {
      ready.page = await browser!.newPage();
      await ready.page.goto(ready.site!.url);
    });

    afterEach(async () => {
      await ready.page?.close();
    });

    declare(ready as TestPage);
  });
}

function fromRoot(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
