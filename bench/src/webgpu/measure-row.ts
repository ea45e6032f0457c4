// Measures one row with all runtimes that can compute it, in a process of its own: `measure-row.ts MODELS ROW KINDS MS
// ROUNDS`.
// The last line of the output is a RowResult. Without MS only dispatches are counted.

import { join } from "node:path";
import { worstError } from "@pt2/testing/worst-error";
import { alternate } from "../statistics.ts";
import { readTensors } from "../tensors.ts";
import { installWebgpu } from "./dawn.ts";
import type { RowResult } from "./row-result.ts";
import { openerOf, readRow } from "./rows.ts";
import { KINDS, type Kind, type Subject } from "./subject.ts";

const TOLERANCE = { rtol: 2e-3, atol: 1e-3 };
const WARMUP_ROUNDS = 5;

installWebgpu();
const [folder, row, kinds, ms, rounds] = process.argv.slice(2) as [string, string, string, string, string];
const path = join(folder, row);
const files = await readRow(path, row);
const expected = await readTensors(`${path}.expected.safetensors`);
const result: { -readonly [Key in keyof RowResult]: RowResult[Key] } = { row, subjects: {}, dispatches: null };
const runs: Partial<Record<Kind, () => Promise<unknown>>> = {};

for (const kind of KINDS) {
  if (!kinds.split(",").includes(kind)) continue;
  const open = await openerOf(kind);
  const start = performance.now();
  const subject = await open(row, files);
  if (subject === null) continue;
  if (kind === "pt2") result.dispatches = subject.dispatches ?? null;
  if (Number(ms) === 0) continue;
  const first = await check(kind, subject);
  result.subjects[kind] = { first: first.at - start, error: first.error, times: [], processor: [] };
  if (first.error <= 1) runs[kind] = subject.run;
}
if (Number(ms) > 0) await measure();
console.log(JSON.stringify(result));
// Devices and ONNX Runtime keep the event loop alive.
process.exit(0);

/**
 * Checks the first result. A result that is not PyTorch's is reported and not timed; that of this project has to be
 * PyTorch's.
 */
async function check(kind: Kind, { run, arrange }: Subject): Promise<{ readonly at: number; readonly error: number }> {
  const answer = await run();
  const at = performance.now();
  const outputs = arrange?.(answer) ?? answer;
  const error = Math.max(...expected.map(({ data }, i) => worstError(outputs[i] ?? [], data, TOLERANCE)));
  if (kind === "pt2" && !(error <= 1))
    throw new Error(`${row}: ${kind} differs from PyTorch, ${error} of the tolerance`);
  return { at, error };
}

async function measure(): Promise<void> {
  const processor: Partial<Record<Kind, number[]>> = {};
  const clocked = Object.fromEntries(
    (Object.entries(runs) as [Kind, () => Promise<unknown>][]).map(([kind, run]) => {
      processor[kind] = [];
      const clockedRun = async (): Promise<void> => {
        const before = process.cpuUsage();
        await run();
        const { user, system } = process.cpuUsage(before);
        processor[kind]!.push((user + system) / 1000);
      };
      return [kind, clockedRun];
    }),
  ) as Record<Kind, () => Promise<void>>;
  const effort = { warmupMs: 0, leastWarmup: WARMUP_ROUNDS, measureMs: Number(ms), leastRounds: Number(rounds) };
  const times = await alternate(clocked, effort);
  for (const kind of Object.keys(runs) as Kind[]) {
    const kept = processor[kind]!.slice(-times[kind].length);
    result.subjects[kind] = { ...result.subjects[kind]!, times: times[kind], processor: kept };
  }
}
