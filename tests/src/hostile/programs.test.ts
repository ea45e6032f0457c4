import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hostTensor, type Value, viewAs } from "@pt2/backend";
import { WasmBackend } from "@pt2/backend-wasm";
import { randomBelow } from "@pt2/conformance";
import { DTYPES, fromBytes, openArchive, Pt2Error, parseProgram, type WeightTensor } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { eliminateDeadCode, foldSymbolicArithmetic, removeNoOps } from "@pt2/graph/passes";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { loading } from "@pt2/registry/on-demand";
import { expect, test } from "vitest";
import { type Json, mutateProgram } from "./mutate-json.ts";

/** Programs of each file; the environment gives more, or others, to look for new findings. */
const ROUNDS = Number(process.env["PT2_HOSTILE_ROUNDS"] ?? 12);
const FIRST = Number(process.env["PT2_HOSTILE_FIRST"] ?? 0);
/** Runs are stopped here: a mutated loop may have no end. */
const STOP_MS = 1_500;
/** Nothing takes longer, not even in a busy machine. */
const HANG_MS = 15_000;
/** Growth of the process over all programs: garbage between collections, never what a program claims. */
const MEMORY = 1.5 * 2 ** 30;

const registry = createRegistry({ sets: [aten] });
const backend = new WasmBackend();
const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const files = ["torch-2.13", "programs"].flatMap((folder) =>
  readdirSync(`${fixtures}${folder}`)
    .filter((name) => name.endsWith(".pt2"))
    .map((name) => `${folder}/${name}`),
);

async function open(
  file: string,
): Promise<{ readonly text: string; readonly weights: ReadonlyMap<string, WeightTensor> }> {
  const archive = await openArchive(fromBytes(readFileSync(`${fixtures}${file}`)));
  const record = [...archive.records.keys()].find((name) => /models\/[^/]*\.json$/.test(name))!;
  return { text: new TextDecoder().decode(await archive.readRecord(record)), weights: await archive.weights() };
}

/** Everything that a load and a run do, with the inputs that the program asks for. */
async function loadAndRun(json: Json, weights: ReadonlyMap<string, WeightTensor>): Promise<void> {
  const imported = importProgram(parseProgram(new TextEncoder().encode(JSON.stringify(json)), "program.json"));
  let program = functionalize(removeNoOps(imported), registry.effectsOf);
  program = foldSymbolicArithmetic(program);
  program = eliminateDeadCode(program, { isPure: ({ op }) => registry.resolve(op)?.impure !== true });
  await loading(() => backend.unsupported(program, registry));
  const signal = AbortSignal.timeout(STOP_MS);
  const executable = await backend.compile({ program, weights, registry, signal });
  try {
    const inputs = inputsOf(program);
    await executable.run(inputs, { signal });
    await executable.run(inputs, { signal });
  } finally {
    await executable.dispose();
  }
}

function inputsOf({ graph, inputs }: Program): readonly Value[] {
  return inputs.flatMap((spec): Value[] => {
    if (spec.kind !== "user_input" || spec.value === null) return [];
    const type = graph.values.get(spec.value);
    if (type?.kind !== "tensor") return [type?.kind === "symint" ? 3 : 0.5];
    const shape = type.shape.map((size) => (typeof size === "object" ? 3 : Number(size)));
    const bytes = shape.reduce((n, size) => n * size, DTYPES[type.dtype].itemsize);
    if (!(bytes >= 0 && bytes < 2 ** 22)) return [];
    return [hostTensor(type.dtype, shape, viewAs(type.dtype, new Uint8Array(bytes).fill(1)))];
  });
}

test("damaged programs run or are refused with a code, and nothing else", { timeout: 600_000 }, async () => {
  const findings: string[] = [];
  const outcomes = new Map<string, number>();
  const before = process.memoryUsage().rss;
  for (const file of files) {
    const { text, weights } = await open(file);
    for (let seed = FIRST; seed < FIRST + ROUNDS; seed++) {
      const json = JSON.parse(text) as Json;
      mutateProgram(json, randomBelow(seed * 7919 + file.length));
      const start = performance.now();
      let outcome = "ran";
      try {
        await loadAndRun(json, weights);
      } catch (error) {
        const coded = error instanceof Pt2Error && !error.code.endsWith(".internal");
        const stopped = error instanceof DOMException && error.name === "TimeoutError";
        outcome = coded ? error.code.replace(/\..*/, "") : stopped ? "stopped" : "finding";
        if (outcome === "finding") {
          const { stack } = ((error as Error).cause ?? error) as Error;
          findings.push(
            `${file}, seed ${seed}: ${(error as Error).message}\n${stack?.split("\n").slice(0, 5).join("\n")}`,
          );
        }
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const ms = performance.now() - start;
      if (ms > HANG_MS) findings.push(`${file}, seed ${seed}: took ${ms} ms`);
    }
  }
  expect(findings).toEqual([]);
  // All layers must have refused something and much must have run, or the mutations are not worth it.
  for (const outcome of ["ran", "format", "graph", "registry", "backend"])
    expect(outcomes.get(outcome)).toBeGreaterThan(3);
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
});
