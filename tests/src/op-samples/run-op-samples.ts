/**
 * Runs samples of PyTorch's op database on the embedded backend and prints one line per op and dtype that has a problem.
 *
 *     node -C dev --import tsx tests/src/op-samples/run-op-samples.ts DIR [--only NAME]... [--all]
 *
 * DIR is what `scripts/python/opinfo.py DIR` wrote. Exits with 1 where a sample failed.
 */
import { parseArgs } from "node:util";
import { type Outcome, readSampleIndex, runSamples, type SampleResult, sampleNames } from "./op-samples.ts";

const OUTCOMES: readonly Outcome[] = ["passed", "failed", "unsupported", "skipped"];

const count = (results: readonly SampleResult[], outcome: Outcome): number =>
  results.filter((result) => result.outcome === outcome).length;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", multiple: true, default: [] }, all: { type: "boolean", default: false } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: run-op-samples.ts DIR [--only NAME]... [--all]");
const chosen = sampleNames(folder).filter(
  (name) => values.only.length === 0 || values.only.some((one) => name === one || name.startsWith(`${one}.`)),
);
const every: SampleResult[] = [];
let clean = 0;
for (const name of chosen) {
  const results = await runSamples(folder, name, await readSampleIndex(folder, name));
  every.push(...results);
  const bad = results.find(({ outcome }) => outcome === "failed" || outcome === "unsupported");
  if (bad === undefined) clean++;
  if (bad === undefined && !values.all) continue;
  const counts = OUTCOMES.map((outcome) => `${count(results, outcome)} ${outcome}`).join(", ");
  console.log(`${name}: ${counts}${bad === undefined ? "" : ` — ${bad.why.replaceAll(/\s*\n\s*/g, " | ")}`}`);
}
const totals = OUTCOMES.map((outcome) => `${count(every, outcome)} ${outcome}`).join(", ");
console.log(`\n${clean} of ${chosen.length} ops without a problem; samples: ${totals}`);
process.exitCode = count(every, "failed") === 0 ? 0 : 1;
