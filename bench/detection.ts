// `pnpm bench:detection`: see README.md.
import { parseArgs } from "node:util";
import { OPS, timeOp } from "./src/detection/op-row.ts";
import { timeSsdlite } from "./src/detection/whole.ts";
import { machine, table } from "./src/report.ts";
import { summarize } from "./src/statistics.ts";

const WHOLE = "ssdlite320";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/detection" },
    python: { type: "string", default: process.env.PT2_PYTHON ?? "python3" },
    threads: { type: "string", default: "1" },
    only: { type: "string", multiple: true, default: [...OPS, WHOLE] },
    seconds: { type: "string", default: "10" },
  },
});
const { models: folder, python, only } = values;
const threads = Number(values.threads);
const effort = { warmupMs: 2000, measureMs: Number(values.seconds) * 1000, leastRounds: 7 };
const count = `${threads} thread${threads === 1 ? "" : "s"}`;

type Times = Readonly<Record<string, readonly number[]>>;

/** The median of a subject, and of its ratios to another one round by round. */
function cell(times: Times, subject: string, peer: string): string {
  const { median, spread } = summarize(times[subject]!);
  const ratio = summarize(times[subject]!.map((ms, round) => ms / times[peer]![round]!)).median;
  const time = `${median.toFixed(1)} ms ±${(spread * 100).toFixed(0)} %`;
  return subject === peer ? time : `${time}, ${ratio.toFixed(2)} ×`;
}

console.log(`${machine()}\n`);
const rows: (readonly string[])[] = [];
for (const name of only.filter((one) => one !== WHOLE)) {
  const times = await timeOp(name, { folder, python, threads }, effort);
  rows.push([name, ...Object.keys(times).map((subject) => cell(times, subject, "torchvision"))]);
}
if (rows.length > 0) {
  console.log(table([`ops, ${count}`, "torchvision", "libtorch", ...(threads === 1 ? ["wasm"] : [])], rows));
}
if (only.includes(WHOLE)) {
  const times = await timeSsdlite(folder, threads, effort);
  const against = (subject: string): string =>
    subject === "wasm" || subject.includes("web") ? "onnxruntime-web" : "onnxruntime-node";
  const whole = Object.keys(times).map((subject) => [subject, cell(times, subject, against(subject))]);
  console.log(`\n${table([`SSDlite320, picture to boxes, ${count}`, "time"], whole)}`);
}
process.exit(0);
