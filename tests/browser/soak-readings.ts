import { readFileSync } from "node:fs";
import type { CDPSession, Page } from "playwright-core";
import type { Subject } from "./soak/main.ts";

/** What a page holds, after a collection of garbage. Bytes, save for counts. */
export interface Reading {
  /** JavaScript's heap, and array buffers with WebAssembly memories, of the page. */
  readonly heap: number;
  readonly outside: number;
  /** Both of its workers, as the browser measures them; 0 without one. */
  readonly workers: number;
  /** Threads that compute. */
  readonly threads: number;
  /** Listeners of all kinds, on all targets. */
  readonly listeners: number;
  /** What the model says it has reserved. */
  readonly reserved: number;
  /** Of the GPU. */
  readonly buffers: number;
  /** Resident memory of the page's process and of the GPU's; 0 where the system does not tell. */
  readonly rss: number;
}

/** What there was half-way and in the end, and, if that was asked for, before. */
export interface Soaked {
  readonly before?: Reading;
  readonly middle: Reading;
  readonly after: Reading;
}

/** Does an activity `steps` times, twice over, after as many as fill every cache. */
export async function soakPage(
  page: Page,
  [subject, activity]: readonly [subject: Subject, activity: string],
  steps: number,
  { warmUp, before: wanted }: { readonly warmUp: number; readonly before: boolean },
): Promise<Soaked> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await page.evaluate(([subject, activity]) => globalThis.soak.begin(subject, activity), [subject, activity] as const);
  let done = 0;
  const until = async (end: number): Promise<void> => {
    await page.evaluate(([from, to]) => globalThis.soak.steps(from, to), [done, end] as const);
    done = end;
  };
  await until(warmUp);
  const before = wanted ? await read(page, session) : undefined;
  await until(warmUp + steps);
  const middle = await read(page, session);
  await until(warmUp + 2 * steps);
  const after = await read(page, session);
  await page.evaluate(() => globalThis.soak.end());
  return { ...(before && { before }), middle, after };
}

async function read(page: Page, session: CDPSession): Promise<Reading> {
  for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
  const usage = (await session.send("Runtime.getHeapUsage")) as {
    readonly usedSize: number;
    readonly backingStorageSize?: number;
  };
  const { jsEventListeners } = await session.send("Memory.getDOMCounters");
  const held = await page.evaluate(() => globalThis.soak.held());
  return {
    heap: usage.usedSize,
    outside: usage.backingStorageSize ?? 0,
    workers: await page.evaluate(bytesOfWorkers),
    threads: page.workers().length,
    listeners: jsEventListeners,
    ...held,
    rss: await residentMemory(page),
  };
}

/** The browser collects garbage in workers too before it answers. Only pages that are cross-origin isolated may ask. */
async function bytesOfWorkers(): Promise<number> {
  interface Measurement {
    readonly breakdown: readonly {
      readonly bytes: number;
      readonly attribution: readonly { readonly scope: string }[];
    }[];
  }
  const measure = (performance as { measureUserAgentSpecificMemory?(): Promise<Measurement> })
    .measureUserAgentSpecificMemory;
  const { breakdown } = await measure!.call(performance);
  return breakdown
    .filter(({ attribution }) => attribution.some(({ scope }) => scope.includes("Worker")))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

const PAGE_SIZE = 4096;

async function residentMemory(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pages = processInfo
    .filter(({ type }) => type === "renderer" || type === "GPU")
    .map(({ id }) => {
      try {
        return Number(readFileSync(`/proc/${id}/statm`, "utf8").split(" ")[1]);
      } catch {
        return 0;
      }
    });
  return PAGE_SIZE * pages.reduce((sum, count) => sum + count, 0);
}
