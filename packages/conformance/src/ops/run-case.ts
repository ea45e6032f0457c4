import type { Backend, Executable, Value } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OpRegistry } from "@pt2/registry";
import { compareTensor, type Tolerance, toleranceOf } from "../compare.ts";
import { elementsOf, numberOf } from "./case-data.ts";
import { type CaseProgram, caseProgram, isTensor, type Placement } from "./case-program.ts";
import type { CaseResult, OpCase } from "./case-types.ts";
import type { Narrowed } from "./narrowed.ts";

/** Tolerances by dtype, for backends that need others than the default. */
export type Tolerances = Readonly<Partial<Record<DType, Tolerance>>>;

/** Compiles and runs a case. Throws an error that lists every difference from PyTorch. */
export async function runCase(
  backend: Backend,
  opCase: OpCase,
  placement: Placement,
  registry: OpRegistry,
  tolerances: Tolerances,
): Promise<void> {
  const { program, weights, inputs, expected } = caseProgram(opCase, placement, registry, backend.capabilities);
  const missing = await backend.unsupported(program, registry);
  if (missing.length > 0) throw new Error(missing.map(({ op, why }) => `${op} is unsupported: ${why}`).join("\n"));
  const executable = await backend.compile({ program, weights, registry });
  try {
    await checkRun(backend, executable, opCase, { inputs, expected }, tolerances);
  } finally {
    await executable.dispose();
  }
}

/**
 * Runs the executable of a case, possibly with other values. Throws an error that lists every difference from PyTorch.
 */
export async function checkRun(
  { capabilities: { narrowed = {} } }: Backend,
  executable: Pick<Executable, "run">,
  opCase: OpCase,
  { inputs, expected }: Pick<CaseProgram, "inputs" | "expected">,
  tolerances: Tolerances,
): Promise<void> {
  const outputs = await executable.run(inputs);
  const problems: string[] = [];
  for (const [i, { what, result }] of expected.entries()) {
    const problem = await compareResult(outputs[i], result, opCase, tolerances, narrowed);
    if (problem !== null) problems.push(`${what} ${problem}`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/**
 * Checks that a backend reports that it cannot run a case, both in `unsupported` and, with a coded error, in `compile`.
 */
export async function refuseCase(backend: Backend, opCase: OpCase, registry: OpRegistry): Promise<void> {
  const { program, weights }: CaseProgram = caseProgram(opCase, "inputs", registry, backend.capabilities);
  const reported = await backend.unsupported(program, registry);
  const refusal = await backend.compile({ program, weights, registry }).then(
    async (executable) => {
      await executable.dispose();
      return null;
    },
    (error: unknown) => error,
  );
  if (refusal === null) throw new Error("it is listed as unsupported, but compiles: take it off the list");
  if (!isCoded(refusal)) throw new Error("compile fails without a code", { cause: refusal });
  if (reported.length === 0)
    throw new Error("compile refuses it, but `unsupported` does not report it", { cause: refusal });
}

/** Awaits a run that may be refused with a coded error, as it must be if a narrower dtype cannot store a value. */
export async function orRefused(run: Promise<void>): Promise<void> {
  try {
    await run;
  } catch (cause) {
    if (isCoded(cause)) return;
    throw new Error(`${(cause as Error).message}\nan argument does not fit the narrower dtype: refuse it`, { cause });
  }
}

function isCoded(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === "string";
}

async function compareResult(
  actual: Value | undefined,
  expected: CaseResult,
  opCase: OpCase,
  tolerances: Tolerances,
  narrowed: Narrowed,
): Promise<string | null> {
  if (isTensor(expected)) {
    const data = expected.data === undefined ? null : elementsOf(expected);
    const { dtype, shape } = expected;
    return compareTensor(actual, { dtype, shape, data }, toleranceOf(narrowed[dtype] ?? dtype, tolerances, opCase));
  }
  const wanted = typeof expected === "object" && expected !== null ? numberOf(expected as never) : expected;
  if (typeof wanted === "boolean" || typeof actual === "boolean")
    return actual === wanted ? null : differs(actual, wanted);
  const difference = Math.abs(Number(actual) - Number(wanted));
  const { rtol, atol } = toleranceOf("float32", tolerances, opCase);
  const isFloat = typeof expected === "object";
  const close =
    Object.is(Number(actual), Number(wanted)) || difference <= (isFloat ? atol + rtol * Math.abs(Number(wanted)) : 0);
  return close ? null : differs(actual, wanted);
}

function differs(actual: unknown, wanted: unknown): string {
  return `is ${String(actual)}, expected ${String(wanted)}`;
}
