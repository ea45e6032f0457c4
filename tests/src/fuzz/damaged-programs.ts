import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Backend, hostTensor, type Value, viewAs } from "@pt2/backend";
import { DTYPES, fromBytes, openArchive, Pt2Error, parseProgram, type WeightTensor } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { eliminateDeadCode, foldSymbolicArithmetic, removeNoOps } from "@pt2/graph/passes";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { randomBelow } from "@pt2/testing/random";
import { type Json, mutateProgram } from "./mutate-json.ts";

/** The number of looks at a signal after which it aborts: a mutated loop may have no end. */
const MOST_READS = 10_000;
const STOPPED = new Error("It may have no end");

const registry = createRegistry({ sets: [aten] });
const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The programs that are damaged. */
const FILES: readonly string[] = ["torch-2.13", "programs"].flatMap((folder) =>
  readdirSync(`${fixtures}${folder}`)
    .filter((name) => name.endsWith(".pt2"))
    .map((name) => `${folder}/${name}`),
);

/** The outcomes of damaged programs. */
export interface Outcomes {
  /** How many ran, were stopped, or were refused by which package. */
  readonly counts: ReadonlyMap<string, number>;
  /** The outcomes that must not happen. */
  readonly findings: readonly string[];
}

/** The backend that damaged programs run on. */
export interface Victim {
  readonly backend: Backend;
  /** Lists what else has gone wrong since the last call. */
  inspect?(): Promise<readonly string[]>;
}

/** Damages each file `rounds` times, and loads and runs the results. */
export async function runDamaged(
  victim: Victim,
  seeds: { readonly first: number; readonly rounds: number },
): Promise<Outcomes> {
  const findings: string[] = [];
  const counts = new Map<string, number>();
  for (const file of FILES) {
    const { text, weights } = await open(file);
    for (let seed = seeds.first; seed < seeds.first + seeds.rounds; seed++) {
      const json = JSON.parse(text) as Json;
      mutateProgram(json, randomBelow(seed * 7919 + file.length));
      const found = (what: string): void => void findings.push(`${file}, seed ${seed}: ${what}`);
      const outcome = await outcomeOf(victim.backend, json, weights);
      counts.set(outcome.name, (counts.get(outcome.name) ?? 0) + 1);
      if (outcome.finding !== undefined) found(outcome.finding);
      for (const what of (await victim.inspect?.()) ?? []) found(what);
    }
  }
  return { counts, findings };
}

async function open(
  file: string,
): Promise<{ readonly text: string; readonly weights: ReadonlyMap<string, WeightTensor> }> {
  const archive = await openArchive(fromBytes(readFileSync(`${fixtures}${file}`)));
  const record = [...archive.entries.keys()].find((name) => /models\/[^/]*\.json$/.test(name))!;
  return { text: new TextDecoder().decode(await archive.readEntry(record)), weights: await archive.weights() };
}

async function outcomeOf(
  backend: Backend,
  json: Json,
  weights: ReadonlyMap<string, WeightTensor>,
): Promise<{ readonly name: string; readonly finding?: string }> {
  try {
    await loadAndRun(backend, json, weights);
    return { name: "ran" };
  } catch (error) {
    if (error instanceof Pt2Error && !error.code.endsWith(".internal")) return { name: error.code.replace(/\..*/, "") };
    if (error === STOPPED) return { name: "stopped" };
    const { stack } = ((error as Error).cause ?? error) as Error;
    return {
      name: "finding",
      finding: `${(error as Error).message}\n${stack?.split("\n").slice(0, 5).join("\n")}`,
    };
  }
}

/** Does everything that a load and a run do, with the inputs that the program declares. */
async function loadAndRun(backend: Backend, json: Json, weights: ReadonlyMap<string, WeightTensor>): Promise<void> {
  const imported = importProgram(parseProgram(new TextEncoder().encode(JSON.stringify(json)), "program.json"));
  let program = functionalize(removeNoOps(imported), registry.effectsOf);
  program = foldSymbolicArithmetic(program);
  program = eliminateDeadCode(program, { isPure: ({ op }) => registry.resolve(op)?.impure !== true });
  await backend.unsupported(program, registry);
  const signal = patience();
  const executable = await backend.compile({ program, weights, registry, signal });
  try {
    const inputs = inputsOf(program);
    await executable.run(inputs, { signal });
    await executable.run(inputs, { signal });
  } finally {
    await executable.dispose();
  }
}

/** Makes a signal that aborts when it was read {@link MOST_READS} times. */
function patience(): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const throwIfAborted = signal.throwIfAborted.bind(signal);
  let asked = 0;
  signal.throwIfAborted = () => {
    if (++asked > MOST_READS) controller.abort(STOPPED);
    throwIfAborted();
  };
  return signal;
}

function inputsOf({ graph, inputs }: Program): readonly Value[] {
  return inputs.flatMap((spec): Value[] => {
    if (spec.kind !== "user_input" || spec.value === null) return [];
    const type = graph.values.get(spec.value);
    if (type?.kind !== "tensor") return [type?.kind === "symint" ? 3 : 0.5];
    const { dtype } = type;
    const shape = type.shape.map((size) => (typeof size === "object" ? 3 : Number(size)));
    const bytes = shape.reduce((n, size) => n * size, DTYPES[dtype].itemsize);
    if (!(bytes >= 0 && bytes < 2 ** 22)) return [];
    const data = viewAs(dtype, new Uint8Array(bytes));
    // The elements are ones; for float16 and bfloat16 these are the bits of small numbers.
    if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(1n);
    else data.fill(1);
    return [hostTensor(dtype, shape, data)];
  });
}
