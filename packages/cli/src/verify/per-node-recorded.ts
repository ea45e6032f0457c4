import type { Backend, Value } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { cliError } from "../cli-errors.ts";
import { computedIn } from "./computed-in.ts";
import { explainDivergence } from "./first-divergence.ts";
import { checkOf, type NodeCheck } from "./node-check.ts";
import { definedValues } from "./node-program.ts";
import type { PerNodeReport } from "./per-node.ts";
import { type Precision, runReturning, type Values, type ValuesRequest } from "./program-values.ts";
import { qualifyNames } from "./qualified-names.ts";
import { isRecordedType, type RecordedNodes } from "./recorded-nodes.ts";
import { runRecorded } from "./recorded-run.ts";
import type { ToleranceOf } from "./tolerance.ts";
import { compareValue } from "./value-comparison.ts";
import { placeholdersOf, placesOf, withoutTurn } from "./value-places.ts";

/** A request to compare the values of a program with those of PyTorch. */
export interface RecordedRequest extends ValuesRequest {
  readonly backend: Backend;
  readonly recorded: RecordedNodes;
  /** The program as the file has it, with qualified names. */
  readonly imported: Program;
  readonly precision: Precision;
  readonly tolerance: ToleranceOf;
}

/** Recorded values that were not compared, by the reason. */
export interface Unmatched {
  /** Values that the passes before the backend removed: no-ops, sizes, views that writes replaced. */
  readonly removed: readonly string[];
  /** Values that this run does not compute by themselves: unused, or in nested graphs that
   * cannot run alone. */
  readonly hidden: readonly string[];
  /** Names that the program does not have. */
  readonly unknown: readonly string[];
}

/** The result of a comparison with PyTorch, node by node. */
export interface RecordedReport extends PerNodeReport {
  readonly precision: Precision;
  readonly unmatched: Unmatched;
  /** Values of the program that were not recorded. */
  readonly unrecorded: readonly string[];
}

/**
 * Compares the values of a program with recorded ones, in the order in which they are computed; where all agree, each of
 * the program's own results is also computed with the fusion of a normal run.
 */
export async function compareWithRecorded(request: RecordedRequest): Promise<RecordedReport> {
  const { backend, recorded, precision } = request;
  const program = qualifyNames(request.compile.program);
  const compile = { ...request.compile, program };
  const own = { ...request, compile };
  const names = new Set(recorded.values.keys());
  const actual = await runRecorded(own);
  const checks = [...(await compareEach(own, actual))];
  if (checks.length === 0) throw nothingCompared(request);
  const fused = checks.every(({ comparison }) => comparison.ok);
  if (fused) {
    const results = program.graph.outputs.flatMap((arg) =>
      arg.kind === "value" && names.has(arg.name) ? arg.name : [],
    );
    const returned = await compareEach(own, await runReturning(own, backend, results));
    checks.push(...returned.filter(({ comparison }) => !comparison.ok));
  }
  const check = checks.find(({ comparison }) => !comparison.ok);
  const first =
    check === undefined ? null : await explainDivergence({ ...own, fused, check, checks, expected: recorded.values });
  return {
    ok: first === null,
    reference: recorded.path,
    precision,
    checks,
    first,
    unmatched: unmatchedOf(own, actual),
    unrecorded: definedValues(program).flatMap(({ value }) => (names.has(value) ? [] : value)),
  };
}

async function compareEach(
  { compile, recorded, tolerance }: RecordedRequest,
  actual: Values,
): Promise<readonly NodeCheck[]> {
  const places = placesOf(compile.program);
  const computed = computedIn(compile.program, compile.registry);
  const checks: NodeCheck[] = [];
  for (const [name, value] of actual) {
    const place = places.get(withoutTurn(name));
    if (place === undefined) continue;
    const wanted = recorded.values.get(name) ?? null;
    const comparison = await compareValue(wanted, value, tolerance, computed.get(withoutTurn(name)));
    checks.push(checkOf(name, place.node, comparison));
  }
  return checks;
}

function unmatchedOf({ compile, imported, recorded }: RecordedRequest, actual: Values): Unmatched {
  const [now, before] = [placesOf(compile.program), placesOf(imported)];
  const given = new Set([...placeholdersOf(imported), ...(recorded.inputs ?? [])]);
  const rest = [...recorded.values.keys()].filter((name) => !actual.has(name) && !given.has(withoutTurn(name)));
  const hidden = rest.filter((name) => now.has(withoutTurn(name)));
  const removed = rest.filter((name) => !now.has(withoutTurn(name)) && before.has(withoutTurn(name)));
  const known = new Set([...hidden, ...removed]);
  return { removed, hidden, unknown: rest.filter((name) => !known.has(name)) };
}

function nothingCompared({ recorded, compile, backend }: RecordedRequest): Error {
  const places = placesOf(compile.program);
  const nested = [...recorded.values.keys()].some((name) => places.has(withoutTurn(name)));
  return cliError("cli.inputs", {
    what: nested
      ? `The recorded values are in nested graphs only, into which ${backend.name} does not look`
      : "None of the recorded names is a value of this program",
    where: recorded.path,
    advice: nested
      ? "use --backend libtorch, or record more nodes"
      : "record the nodes of this very file, with the script that `pt2 recorder` prints",
  });
}

/** Returns the program's inputs as they were recorded; undefined where the file does not have all of them. */
export function recordedInputs({ inputs }: Program, { values }: RecordedNodes): readonly Value[] | undefined {
  const names = inputs.flatMap((spec) => (spec.kind === "user_input" && spec.value !== null ? spec.value : []));
  const given = names.map((name) => values.get(name));
  return given.every((value) => value !== undefined && !isRecordedType(value))
    ? (given as readonly Value[])
    : undefined;
}
