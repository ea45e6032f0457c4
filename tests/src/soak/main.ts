// Runs `pnpm soak`: see CONTRIBUTING.md. Each activity has a process of its own, which prints its row of the table.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { captureScript } from "../capture.ts";
import { activitiesOf } from "./activities.ts";
import type { Activity } from "./activity.ts";
import { type Moment, type Soaked, soak } from "./soak.ts";
import { type Subject, subjects } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "" },
    activity: { type: "string", default: "" },
    part: { type: "string", default: "1" },
    alone: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});

/** Formats the values before, half-way and after; one number where nothing changes. */
function three({ before, middle, after }: Soaked, of: (moment: Moment) => number, unit = 1e6): string {
  const digits = unit === 1 ? 0 : 1;
  const texts = [before!, middle, after].map((moment) => (of(moment) / unit).toFixed(digits));
  return new Set(texts).size === 1 ? texts[0]! : texts.join(" → ");
}

async function rowOf(subject: Subject, activity: Activity): Promise<string> {
  const steps = Math.max(1, Math.round((activity.steps.long * Number(values.part)) / 2));
  const soaked = await soak(subject, activity, steps, { warmUp: Math.min(steps, 100), before: true });
  const cells = [
    subject.name,
    activity.name,
    2 * steps,
    three(soaked, ({ heap }) => heap),
    three(soaked, ({ outside }) => outside),
    three(soaked, ({ workers }) => workers),
    three(soaked, ({ rss }) => rss),
    three(soaked, ({ reserved }) => reserved),
    three(soaked, ({ buffers }) => buffers.count, 1),
    three(soaked, ({ descriptors }) => descriptors, 1),
  ];
  return `| ${cells.join(" | ")} |`;
}

if (values.page) {
  const { printPageSoaks } = await import("../../browser/soak-table.ts");
  await printPageSoaks(values.backend, values.activity, Number(values.part));
  process.exit(0);
}
const wanted = await subjects(values.backend);
if (values.alone) {
  const subject = wanted[0]!;
  const activity = activitiesOf(subject).find(({ name }) => name === values.activity)!;
  console.log(await rowOf(subject, activity));
} else {
  console.log("| backend | activity | times | heap | outside | workers | RSS | reserved | buffers | open files |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const subject of wanted) {
    const { name, missing } = subject;
    if (missing !== null) console.log(`| ${name} | skipped: ${missing} |`);
    for (const activity of missing === null ? activitiesOf(subject) : []) {
      if (!activity.name.includes(values.activity)) continue;
      const args = ["--alone", "--backend", name, "--activity", activity.name, "--part", values.part];
      const { stdout, stderr } = await captureScript([fileURLToPath(import.meta.url), ...args]);
      console.log(stdout.trim() || `| ${name} | ${activity.name} | failed: ${stderr.trim()} |`);
    }
  }
}
// Dawn keeps the event loop alive.
process.exit(0);
