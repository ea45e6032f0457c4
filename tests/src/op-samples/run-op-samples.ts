/**
 * Runs samples of PyTorch's op database on a backend and prints one line per op and dtype that has a problem.
 *
 *     node -C dev --import tsx tests/src/op-samples/run-op-samples.ts DIR [--backend wasm|libtorch|webgpu]
 *         [--device cpu|cuda] [--precision exact|fast] [--bits] [--only NAME]... [--log FILE] [--dialect training|aten]
 *
 * DIR is what `scripts/python/opinfo.py DIR` wrote. With `--bits` ops run on one thread, and results must have the bits of
 * PyTorch where it always gives the same. `--log` writes what `write-report.ts` reads; what is in the file is not run
 * again. Exits with 1 where a sample failed.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { NARROWED, type Outcome, runSamples, SAME_KERNELS, type SampleRun } from "./op-samples.ts";
import { readSampleIndex, sampleNames } from "./sample-files.ts";
import { badResults, readWalk, type WalkEntry, WalkLog } from "./walk-log.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: "string", default: "wasm" },
    device: { type: "string", default: "cpu" },
    precision: { type: "string", default: "exact" },
    bits: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    log: { type: "string" },
    dialect: { type: "string", default: "training" },
  },
});
const [folder] = positionals;
const { backend: named, bits, device, precision } = values;
if (folder === undefined || (precision !== "exact" && precision !== "fast")) {
  throw new Error(
    "usage: run-op-samples.ts DIR [--backend B] [--device D] [--precision P] [--bits] [--only NAME]... [--log FILE]",
  );
}

const { backend, environment } = await createBackend();
const tolerances = { libtorch: SAME_KERNELS, webgpu: NARROWED }[named];
const run: SampleRun = { backend, precision, bits, ...(tolerances && { tolerances }) };
const header = { dialect: values.dialect, backend: named, precision, bits, environment };
const log = values.log === undefined ? null : new WalkLog(values.log, header);
const entries = new Map(known().map((entry) => [entry.name, entry]));
for (const name of sampleNames(folder).filter((name) => isChosen(name) && !entries.has(name))) {
  const { op, dtype } = await readSampleIndex(folder, name);
  log?.write({ name, op, dtype, results: null });
  const entry = { name, op, dtype, results: await runSamples(folder, name, run) };
  log?.write(entry);
  entries.set(name, entry);
  printProblem(entry);
}
await backend.dispose();
printTotals([...entries.values()]);

async function createBackend(): Promise<{ readonly backend: Backend; readonly environment: string }> {
  if (named === "wasm") return { backend: wasm({ worker: false }), environment: "" };
  if (named === "webgpu") return { backend: await webgpu({ narrowFloat64: true }), environment: "" };
  const backend = await libtorch({ device, flags: { cudnnTf32: false }, ...(bits && { threads: 1 }) });
  const { version, cpuCapability, threads, cuda } = backend.info();
  const gpu = device === "cpu" || typeof cuda === "string" ? "" : `, ${cuda.devices[0]?.name}, CUDA ${cuda.version}`;
  return { backend, environment: `torch ${version}, ${cpuCapability}, threads: ${threads}${gpu}` };
}

function known(): readonly WalkEntry[] {
  return values.log !== undefined && existsSync(values.log) ? readWalk(values.log).entries : [];
}

function isChosen(name: string): boolean {
  return values.only.length === 0 || values.only.some((one) => name === one || name.startsWith(`${one}.`));
}

function printProblem(entry: WalkEntry): void {
  const [bad] = badResults(entry);
  if (bad !== undefined) {
    console.log(`${entry.name}: ${counts([entry])} — ${bad.why.replaceAll(/\s*\n\s*/g, " | ")}`);
  }
}

function printTotals(every: readonly WalkEntry[]): void {
  const clean = every.filter((entry) => badResults(entry).length === 0).length;
  console.log(`\n${clean} of ${every.length} ops without a problem; samples: ${counts(every)}`);
  const failed = every.some((entry) => badResults(entry).some(({ outcome }) => outcome === "failed"));
  process.exitCode = failed ? 1 : 0;
}

function counts(some: readonly WalkEntry[]): string {
  const results = some.flatMap(({ results }) => results ?? badResults({ name: "", op: "", dtype: "", results }));
  const outcomes: readonly Outcome[] = ["passed", "failed", "unsupported", "skipped"];
  return outcomes
    .map((outcome) => `${results.filter((result) => result.outcome === outcome).length} ${outcome}`)
    .join(", ");
}
