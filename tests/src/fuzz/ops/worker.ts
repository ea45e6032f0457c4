// Calls ops with fuzzed arguments until its task is done, or until a call ends the process. `walk.ts` starts it.
import { openSync, writeSync } from "node:fs";
import { type Addon, loadAddon } from "@pt2/backend-libtorch/node";
import { type OpSchema, parseSchema } from "@pt2/registry";
import { randomBelow } from "@pt2/testing/random";
import { buildArgs } from "./build-args.ts";
import type { CallSpec } from "./call-spec.ts";
import { mutateCall } from "./mutate-call.ts";
import { ArgSource } from "./random-call.ts";
import { seedCalls } from "./seed-calls.ts";
import { HEADER, type WorkerLine, type WorkerTask } from "./worker-protocol.ts";

const task = JSON.parse(process.argv[2]!) as WorkerTask;
const { addon } = await loadAddon();
addon.setThreads(1);
if (task.guard !== null) addon.loadLibrary(task.guard);
const state = openSync(task.state, "w");
const seeds =
  "ops" in task.work ? await seedCalls((op) => schemaOf(addon, op)) : new Map<string, readonly CallSpec[]>();
let made = 0;

/** The most calls that ran and are kept to be mutated. */
const KEPT = 24;

/**
 * The number of calls between collections: memory of results that were read is freed only then, and in a turn of the
 * event loop.
 */
const ROUND = 100;

if ("ops" in task.work) {
  for (const [i, op] of task.work.ops.entries()) print(i, await walk(op));
} else {
  // The guard places blocks alternately at either end of their pages.
  for (const [i, call] of task.work.replay.entries()) print(i, repeat(call, 8));
}
process.exit(0);

type Found = Omit<WorkerLine, "done">;

async function walk(op: string): Promise<Found> {
  const schema = schemaOf(addon, op);
  if (schema === null) return { calls: 0, ran: 0, strange: [] };
  const next = randomBelow(task.seed ^ hash(op));
  const known = [...(seeds.get(op) ?? [])];
  const strange: { call: CallSpec; problem: string }[] = [];
  let ran = 0;
  for (let i = 0; i < task.calls; i++) {
    if (i % ROUND === 0) await collect();
    const seed = i < known.length ? known[i]! : null;
    const from = known.length > 0 && next(4) > 0 ? known[next(known.length)]! : null;
    const call = seed ?? (from === null ? new ArgSource(next).call(schema) : mutateCall(from, schema, next));
    const problem = attempt(call);
    if (problem === null) {
      ran++;
      if (known.length < KEPT) known.push(call);
      else known[next(KEPT)] = call;
    } else if (!problem.startsWith("libtorch.") && strange.length < 3) {
      strange.push({ call, problem });
    }
  }
  return { calls: task.calls, ran, strange };
}

function repeat(call: CallSpec, times: number): Found {
  let problem: string | null = null;
  for (let i = 0; i < times; i++) problem = attempt(call);
  return { calls: 1, ran: problem === null ? 1 : 0, strange: [] };
}

/**
 * Makes a call; returns null when it ran, else the error's code, or the error without one. Results are read to their
 * last element.
 */
function attempt(call: CallSpec): string | null {
  const owned: unknown[] = [];
  try {
    const args = buildArgs(addon, call);
    owned.push(...args.map(({ value }) => value));
    note(call);
    const results = addon.callSync(call.op, args);
    owned.push(...results);
    results.forEach(read);
    return null;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return typeof code === "string" ? code : String(error);
  } finally {
    owned.forEach(dispose);
  }
}

function read(result: unknown): void {
  if (Array.isArray(result)) result.forEach(read);
  else if (typeof result === "object" && result !== null && "bytes" in result) (result as { bytes(): unknown }).bytes();
}

/** Frees memory at once, because the collector does not see how much it is. */
function dispose(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("items" in value) (value.items as readonly unknown[]).forEach(dispose);
  else if ("tensor" in value) dispose(value.tensor);
  else if (Array.isArray(value)) value.forEach(dispose);
  else if ("dispose" in value) (value as { dispose(): void }).dispose();
}

async function collect(): Promise<void> {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
}

function note(call: CallSpec): void {
  const text = Buffer.from(JSON.stringify(call));
  const header = `${++made} ${text.length}`.padEnd(HEADER);
  writeSync(state, Buffer.concat([Buffer.from(header), text]), 0, HEADER + text.length, 0);
}

function print(done: number, found: Found): void {
  writeSync(1, `${JSON.stringify({ done, ...found } satisfies WorkerLine)}\n`);
}

/** Returns the schema of an op; null for what programs cannot call anyway. */
function schemaOf(from: Addon, op: string): OpSchema | null {
  const text = from.refusal(op) === null && from.hasKernel(op, "cpu") ? from.schema(op) : null;
  try {
    return text === null ? null : parseSchema(text);
  } catch {
    return null;
  }
}

function hash(text: string): number {
  return [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7);
}
