// `pnpm bench:small`: see README.md.
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { machine, table } from "./src/report.ts";
import { type Call, openCalls, openers, SUBJECTS, type SubjectName } from "./src/small/subjects.ts";
import { alternate, summarize } from "./src/statistics.ts";

/** Calls of a subject, one awaited after the other, before the next has its turn. */
const CALLS = 100;

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/small" },
    only: { type: "string" },
    subjects: { type: "string", default: "onnxruntime-node,libtorch,libtorch sync" },
    seconds: { type: "string", default: "3" },
    clock: { type: "string", default: "elapsed" },
  },
});
const folder = values.models;
const names = SUBJECTS.filter((name) => values.subjects.split(",").includes(name));
const [peer] = names;
const effort = { warmupMs: 1000, measureMs: Number(values.seconds) * 1000, leastRounds: 21 };

/** Milliseconds that all threads of this process have computed. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
const clock = values.clock === "processor" ? processorMs : () => performance.now();

const repeated = (call: Call) => async () => {
  for (let i = 0; i < CALLS; i++) await call();
};

const programs = readdirSync(folder)
  .flatMap((file) => (file.endsWith(".pt2") ? [file.slice(0, -".pt2".length)] : []))
  .filter((name) => values.only === undefined || values.only.split(",").includes(name));
const open = openers(names);
const rows: string[][] = [];
const ratios = new Map<SubjectName, number[]>(names.map((name) => [name, []]));
for (const program of programs) {
  const calls = await openCalls(`${folder}/${program}`, names, open);
  const subjects = Object.fromEntries(names.map((name) => [name, repeated(calls[name])]));
  const times = await alternate<string>(subjects, effort, clock);
  const cells = names.map((name) => {
    const { median, spread } = summarize(times[name]!);
    const ratio = summarize(times[name]!.map((ms, round) => ms / times[peer!]![round]!)).median;
    ratios.get(name)!.push(ratio);
    const time = `${((median * 1000) / CALLS).toFixed(1)} ±${(spread * 100).toFixed(0)} %`;
    return name === peer ? time : `${time}, ${ratio.toFixed(2)} ×`;
  });
  rows.push([program, ...cells]);
  console.error(rows.at(-1)!.join(" | "));
}
const means = names.slice(1).map((name) => {
  const all = ratios.get(name)!;
  return `**${Math.exp(all.reduce((sum, ratio) => sum + Math.log(ratio), 0) / all.length).toFixed(2)} ×**`;
});
rows.push(["geometric mean", "", ...means]);
console.log(`${machine()}\n\n${table([`µs per call, ${values.clock}`, ...names], rows)}`);
process.exit(0);
