import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildApp } from "./build-app.ts";
import { startDisplay } from "./display.ts";
import type { Outcome, Tasks, Told } from "./engines/main.ts";
import { serve } from "./serve.ts";
import { threadsOf } from "./threads-of.ts";

/** A browser with an engine other than Chromium's. */
export interface Engine {
  readonly name: string;
  /** The files that it needs, of which one of each list has to exist. */
  readonly files: readonly (readonly string[])[];
  /** Whether the first of these files is an X server, which it needs. */
  readonly needsDisplay: boolean;
  /** What to install. */
  readonly packages: string;
  /** Returns the command that opens a page, given the files that were found and an empty folder. */
  command(files: readonly string[], profile: string, url: string): Promise<readonly string[]>;
  readonly env: Readonly<Record<string, string>>;
}

/** A page that does what it is asked to do. */
export interface EnginePage {
  ask<Name extends keyof Tasks>(
    name: Name,
    ...args: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  /** What it did when it was last heard of. */
  readonly current: string;
  close(): Promise<void>;
}

const onPath = (name: string): readonly string[] =>
  (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));

/** First starts ask for nothing, and scripts may take long. */
const FIREFOX_PREFS = `user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("app.update.enabled", false);
user_pref("dom.max_script_run_time", 0);
`;

const FIREFOX: Engine = {
  name: "Firefox",
  files: [[...onPath("firefox-esr"), ...onPath("firefox")]],
  needsDisplay: false,
  packages: "firefox-esr",
  async command([firefox], profile, url) {
    await writeFile(join(profile, "user.js"), FIREFOX_PREFS);
    return [firefox!, "--headless", "--no-remote", "--profile", profile, url];
  },
  env: { MOZ_DISABLE_CONTENT_SANDBOX: "1" },
};

const BROWSERS = ["x86_64", "aarch64"].map((cpu) => `/usr/lib/${cpu}-linux-gnu/webkit2gtk-4.1/MiniBrowser`);
const WEBKIT: Engine = {
  name: "WebKitGTK",
  files: [onPath("Xvfb"), BROWSERS],
  needsDisplay: true,
  packages: "libwebkit2gtk-4.1-0 xvfb",
  command: async ([, browser], _, url) => [browser!, url],
  env: {
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    WEBKIT_DISABLE_COMPOSITING_MODE: "1",
    LIBGL_ALWAYS_SOFTWARE: "1",
  },
};

/** What is tested, and in which pages. */
export const ENGINES: readonly (readonly [engine: Engine, isolated: boolean])[] = [
  [FIREFOX, false],
  [FIREFOX, true],
  [WEBKIT, false],
  [WEBKIT, true],
  // Safari shares memory where pages are isolated.
  [{ ...WEBKIT, name: "WebKitGTK with shared memory", env: { ...WEBKIT.env, JSC_useSharedArrayBuffer: "1" } }, true],
];

/** Returns the files of an engine; null where one is missing. */
export function findEngine({ files }: Engine): readonly string[] | null {
  const found = files.map((candidates) => candidates.find((path) => existsSync(path)));
  return found.every((path) => path !== undefined) ? found : null;
}

/** How long a browser may take to open the page, and the page to come from one thing to the next, on however slow a machine. */
const START_MS = 2 * 60_000;
const PATIENCE_MS = 2 * 60_000;

const FOLDERS = { "/digits/": "../../examples/digits/" };

/** Builds the page, serves it, and opens it in an engine. */
export async function openEngine(
  engine: Engine,
  files: readonly string[],
  { isolated }: { readonly isolated: boolean },
): Promise<EnginePage> {
  const folder = await mkdtemp(join(tmpdir(), "pt2-engine-"));
  const [built, profile] = [join(folder, "page"), await mkdtemp(join(folder, "profile-"))];
  await buildApp({ root: here("engines"), outDir: built });
  let current = "nothing";
  let since = Date.now();
  let isThere: () => void = () => {};
  let deliver: ((outcome: Outcome) => void) | null = null;
  let give: (task: string) => void = () => {};
  let next = new Promise<string>((resolve) => (give = resolve));
  let lose: (error: Error) => void = () => {};
  let said = "";
  const site = await serve({
    folders: { ...Object.fromEntries(Object.entries(FOLDERS).map(([at, path]) => [at, here(path)])), "/": built },
    isolated,
    async answer(body, gone) {
      const told = JSON.parse(body) as Told;
      isThere();
      if ("there" in told) {
        await new Promise<void>((resolve) => gone.addEventListener("abort", () => resolve()));
        lose(new Error(`the process of the page in ${engine.name} has ended; it was at ${current}\n${said}`));
        return "";
      }
      if ("current" in told) {
        if (told.current !== current) since = Date.now();
        current = told.current;
        return "";
      }
      if (told.outcome !== null) deliver?.(told.outcome);
      const task = await next;
      next = new Promise((resolve) => (give = resolve));
      return task;
    },
  });
  const [program, ...args] = await engine.command(files, profile, site.url);
  const display = engine.needsDisplay ? await startDisplay(files[0]!) : null;
  const env = { ...process.env, ...engine.env, HOME: profile, ...(display && { DISPLAY: display.name }) };
  const start = (): Started => {
    const browser = spawn(program!, args, { stdio: ["ignore", "ignore", "pipe"], env, detached: true });
    browser.stderr.on("data", (data) => (said = `${said}${data}`.slice(-4000)));
    const ended = new Promise<never>((_, reject) => {
      lose = reject;
      browser.once("error", reject);
      browser.once("exit", (code) => reject(new Error(`${engine.name} ended with ${code}\n${said}`)));
    });
    ended.catch(() => {});
    return { browser, ended };
  };
  let { browser, ended } = start();
  const close = async (): Promise<void> => {
    await endGroup(browser);
    await display?.close();
    await site.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
  };
  const open = async (): Promise<void> => {
    const there = new Promise<void>((resolve) => (isThere = resolve));
    if (await within(START_MS, Promise.race([there, ended]))) return;
    const threads = await threadsOf(browser.pid ?? 0);
    throw new Error(`${engine.name} has not opened the page in ${START_MS / 1000} s\n${threads}\n${said}`);
  };
  try {
    await open();
  } catch (first) {
    // A browser that does not come to the page has not run a line of it.
    console.warn(`${first}`);
    await endGroup(browser);
    ({ browser, ended } = start());
    await open().catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }
  return {
    async ask(name, ...args) {
      const outcome = new Promise<Outcome>((resolve) => (deliver = resolve));
      since = Date.now();
      give(JSON.stringify({ name, args }));
      let told: { readonly value: Outcome } | null = null;
      while (told === null && Date.now() - since < PATIENCE_MS)
        told = await within(1000, Promise.race([outcome, ended]));
      if (told === null) {
        const threads = await threadsOf(browser.pid ?? 0);
        throw new Error(`${engine.name} has been at ${current} for ${PATIENCE_MS / 1000} s\n${threads}\n${said}`);
      }
      const { value, error } = told.value;
      if (error !== undefined) throw new Error(`in ${engine.name}: ${error}`);
      return value as never;
    },
    get current() {
      return current;
    },
    close,
  };
}

/** A browser that was started; `ended` rejects when its process ends. */
interface Started {
  readonly browser: ChildProcess;
  readonly ended: Promise<never>;
}

/** Waits for a promise so long at most; null where it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<{ readonly value: T } | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  try {
    return await Promise.race([promise.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a browser with the processes that it has started. */
async function endGroup(browser: ChildProcess): Promise<void> {
  if (browser.exitCode !== null || browser.pid === undefined) return;
  const exit = new Promise((resolve) => browser.once("exit", resolve));
  process.kill(-browser.pid, "SIGKILL");
  await exit;
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
