import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { missingBrowser } from "./browser.ts";
import { type AppOptions, type OpenApp, openApp } from "./open-app.ts";
import type { Site } from "./serve.ts";

/** The built application in a real browser, a new page for each test. */
export interface TestPage {
  readonly page: Page;
  readonly site: Site;
}

/** Declares tests of a page. Where there is no browser they are one skipped test that says so. */
export function describePage(name: string, options: AppOptions, declare: (ready: TestPage) => void): void {
  if (missingBrowser !== "") {
    describe(name, () => test.skip(missingBrowser));
    return;
  }
  describe(name, () => {
    let opened: OpenApp | undefined;
    const ready: { page?: Page; site?: Site } = {};

    beforeAll(async () => {
      opened = await openApp(options);
      ready.site = opened.site;
    });

    afterAll(() => opened?.close());

    // Workers of a test that failed end with its page.
    beforeEach(async () => {
      ready.page = await opened!.newPage();
      await ready.page.goto(ready.site!.url);
    });

    afterEach(async () => {
      await ready.page?.close();
    });

    declare(ready as TestPage);
  });
}
