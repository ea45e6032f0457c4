import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type BrowserOptions, launchBrowser } from "./browser.ts";
import { buildApp } from "./build-app.ts";
import { type Site, serve } from "./serve.ts";

/** Which page, and where it runs. */
export interface AppOptions extends BrowserOptions {
  /** Sends the headers that make pages cross-origin isolated. @default false */
  readonly isolated?: boolean;
  /** The application's folder, from the root. @default "tests/browser/app" */
  readonly app?: string;
  /** Builds from the packages' sources instead of from what they publish. @default false */
  readonly sources?: boolean;
}

/** An application that is served, and a browser to open it in. */
export interface OpenApp {
  readonly site: Site;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const ROOT = new URL("../../", import.meta.url);
/** Says what a test waited for in vain. No step takes so long, on however slow a machine. */
const PATIENCE_MS = 10 * 60_000;
let count = 0;

/** Builds an application, serves it, and starts a browser. */
export async function openApp(options: AppOptions): Promise<OpenApp> {
  const { isolated = false, app = "tests/browser/app", sources = false, ...browserOptions } = options;
  const built = fromRoot(`.cache/browser/${process.pid}-${count++}/`);
  await buildApp({ root: fromRoot(app), outDir: built, sources });
  const folders = {
    "/fixtures/": fromRoot("tests/fixtures/"),
    "/digits/": fromRoot("examples/digits/"),
    "/detector/": fromRoot("examples/detect-node/"),
    "/model/": fromRoot("examples/finetune/model/"),
    "/": built,
  };
  const site = await serve({ folders, isolated });
  const browser = await launchBrowser(browserOptions);
  return {
    site,
    async newPage() {
      // Without motion: where something is seen is where it is pressed.
      const page = await browser.newPage({ reducedMotion: "reduce" });
      page.setDefaultTimeout(PATIENCE_MS);
      return page;
    },
    async close() {
      await browser.close();
      await site.close();
      await rm(built, { recursive: true, force: true });
    },
  };
}

function fromRoot(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
