// `node -C dev --import tsx src/webgpu.ts`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "./report.ts";
import { adapterLine } from "./webgpu/dawn.ts";
import { judge, measureRow, type RowResult } from "./webgpu/row-result.ts";
import { COUNTED } from "./webgpu/rows.ts";
import { KINDS } from "./webgpu/subject.ts";
import { firstTable, LABELS, timesTable, wrongAnswers } from "./webgpu/tables.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("../models", import.meta.url)) },
    only: { type: "string", multiple: true },
    kinds: { type: "string", default: KINDS.join() },
    rounds: { type: "string", default: "30" },
    ms: { type: "string", default: "5000" },
  },
});
const kinds = KINDS.filter((kind) => values.kinds.split(",").includes(kind));
const options = { models: values.models, kinds, ms: Number(values.ms), rounds: Number(values.rounds) };
const wanted = (row: string): boolean =>
  (values.only === undefined || values.only.includes(row)) && existsSync(`${values.models}/${row}.pt2`);

console.log(`${machine()}\n${await adapterLine()}`);
const results: RowResult[] = [];
for (const row of Object.keys(LABELS).filter(wanted)) {
  const result = await measureRow(row, options);
  results.push(result);
  console.error(`${row}: ${judge(result)?.ratio.median.toFixed(2)}`);
}
if (results.length > 0) {
  console.log(`\n${timesTable(results)}\n`);
  for (const line of wrongAnswers(results)) console.log(`Not timed: ${line}.\n`);
  console.log(`From the files to the first answer:\n\n${firstTable(results)}`);
}
for (const row of COUNTED.filter(wanted)) {
  const { dispatches } = await measureRow(row, { ...options, ms: 0 });
  console.log(`\n${row}: ${dispatches} dispatches`);
}
// The adapter keeps the event loop alive.
process.exit(0);
