import { type SuitePart, testBackend } from "@pt2/conformance";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { missingBrowser } from "./browser.ts";
import { type OpenApp, openApp } from "./open-app.ts";

/** As in Node. */
const tolerance = { float32: { rtol: 1e-4, atol: 1e-5 } };

/**
 * Declares the tests of the backend contract in a page with WebGPU. The suite runs there; here the same suite declares
 * the same tests, each of which asks the page to run the same test.
 */
export async function testInPage(name: string, parts: readonly SuitePart[]): Promise<void> {
  if (missingBrowser !== "") {
    describe(name, () => it.skip(missingBrowser));
    return;
  }
  let opened: OpenApp | undefined;
  let page: Page | undefined;

  beforeAll(async () => {
    opened = await openApp({ app: "tests/browser/conformance", sources: true, webgpu: true });
    page = await opened.newPage();
    await page.goto(opened.site.url);
    await page.evaluate(({ name, options }) => conformance.define(name, options), {
      name,
      options: { parts, tolerance },
    });
  });

  afterAll(async () => {
    await page?.evaluate(() => conformance.finish());
    await opened?.close();
  });

  let groups: readonly string[] = [];
  const runner = {
    describe(group: string, define: () => void) {
      const path = [...groups, group];
      // The callback runs later.
      describe(group, () => {
        groups = path;
        define();
      });
    },
    it(test: string) {
      const path = [...groups, test];
      it(test, async (context) => {
        const outcome = await page!.evaluate((path) => conformance.run(path), path);
        if (outcome === "passed") return;
        if ("skipped" in outcome) context.skip(outcome.skipped);
        else throw new Error(outcome.failed);
      });
    },
    afterAll() {},
  };
  await testBackend(name, inThePage, { runner, parts });
}

function inThePage(): never {
  throw new Error("the backend is in the page");
}
