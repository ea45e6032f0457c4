// `pnpm soak --page` prints what long activities leave behind in a page.
import { openApp } from "./open-app.ts";
import type { Subject } from "./soak/main.ts";
import { type Reading, type Soaked, soakPage } from "./soak-readings.ts";

/** The page, and a browser that can be asked what its workers hold. */
export const SOAK_APP = {
  app: "tests/browser/soak",
  isolated: true,
  measuresMemory: true,
  sources: true,
  webgpu: true,
} as const;

const SUBJECTS: readonly Subject[] = ["wasm, worker", "wasm, page", "webgpu"];

const LONG: Readonly<Record<string, number>> = {
  forward: 20_000,
  shape: 2000,
  abort: 2000,
  profile: 2000,
  "load and dispose": 300,
  "load over HTTP": 300,
  "aborted load": 300,
  backend: 100,
  cache: 300,
};

/** Before, half-way and after; one number where nothing changes. */
function three({ before, middle, after }: Soaked, of: (reading: Reading) => number, unit = 1e6): string {
  const digits = unit === 1 ? 0 : 1;
  const texts = [before!, middle, after].map((reading) => (of(reading) / unit).toFixed(digits));
  return new Set(texts).size === 1 ? texts[0]! : texts.join(" → ");
}

const COLUMNS: Readonly<Record<string, readonly [of: (reading: Reading) => number, unit: number]>> = {
  heap: [({ heap }) => heap, 1e6],
  outside: [({ outside }) => outside, 1e6],
  workers: [({ workers }) => workers, 1e6],
  RSS: [({ rss }) => rss, 1e6],
  reserved: [({ reserved }) => reserved, 1e6],
  buffers: [({ buffers }) => buffers, 1],
  listeners: [({ listeners }) => listeners, 1],
  threads: [({ threads }) => threads, 1],
};

/** Prints a row for each activity of the subjects whose name has such a part, a page of its own for each. */
export async function printPageSoaks(subjectPart: string, activityPart: string, part: number): Promise<void> {
  const heads = ["in a page", "activity", "times", ...Object.keys(COLUMNS)];
  console.log(`| ${heads.join(" | ")} |\n|${" --- |".repeat(heads.length)}`);
  const app = await openApp(SOAK_APP);
  try {
    for (const subject of SUBJECTS.filter((name) => name.includes(subjectPart))) {
      for (const [activity, times] of Object.entries(LONG).filter(([name]) => name.includes(activityPart))) {
        const steps = Math.max(1, Math.round((times * part) / 2));
        const page = await app.newPage();
        await page.goto(app.site.url);
        const options = { warmUp: Math.min(steps, 100), before: true };
        const soaked = await soakPage(page, [subject, activity], steps, options);
        await page.close();
        const cells = Object.values(COLUMNS).map(([of, unit]) => three(soaked, of, unit));
        console.log(`| ${[subject, activity, 2 * steps, ...cells].join(" | ")} |`);
      }
    }
  } finally {
    await app.close();
  }
}
