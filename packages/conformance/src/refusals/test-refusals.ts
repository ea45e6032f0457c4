import type { Backend } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { type Exceptions, reasonFor } from "../exceptions.ts";
import { caseProgram, type Placement } from "../ops/case-program.ts";
import type { CaseResult, CaseTensor, OpCase } from "../ops/case-types.ts";
import { FAMILIES, type FamilyName, loadFamily } from "../ops/families.ts";
import { beyondNarrowed } from "../ops/narrowed.ts";
import { checkRun, runCase, type Tolerances } from "../ops/run-case.ts";
import type { TestRunner } from "../test-runner.ts";
import { surround } from "./surround.ts";
import { showVariation, type Variation, varyCase } from "./vary-case.ts";

/** Variations of an op case, as `scripts/python/refusals.py` writes them. */
interface VariedCase {
  readonly family: FamilyName;
  readonly op: string;
  readonly name: string;
  /** The variations that PyTorch refuses. */
  readonly refused: readonly Variation[];
  /** The variations that PyTorch computes, with its results. */
  readonly accepted: readonly (readonly [variation: Variation, results: readonly CaseResult[]])[];
}

/** Op cases with variations, and whether PyTorch refuses each of these. */
export interface Refusals {
  readonly kind: RefusalKind;
  readonly cases: readonly (Omit<VariedCase, "family"> & {
    readonly opCase: OpCase;
    /** The refused variations that lowering backends compute for a stated reason, as `showVariation` formats them. */
    readonly computed: readonly string[];
  })[];
}

/** The variations that are computed although PyTorch refuses them: by reason, then by case. */
type Computed = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * The kind of variation: other indices; other arguments, shapes and dtypes; or the error inputs of PyTorch's op
 * database.
 */
export type RefusalKind = "indices" | "arguments" | "errors";

const LOADERS: Readonly<Record<RefusalKind, () => Promise<{ readonly default: unknown }>>> = {
  errors: () => import("./errors.json", { with: { type: "json" } }),
  indices: () => import("./indices.json", { with: { type: "json" } }),
  arguments: () => import("./arguments.json", { with: { type: "json" } }),
};

export interface RefusalSetup {
  readonly runner: TestRunner;
  readonly backend: () => Promise<Backend>;
  readonly registry: OpRegistry;
  readonly tolerance: Tolerances;
  readonly unsupported: Exceptions;
  readonly skip: Exceptions;
  /** Whether the backend lowers with the registry, and so computes some calls that PyTorch's kernels do not. */
  readonly lowers: boolean;
  /** Which share of the cases is tested: `[0, 1]` is all of them. */
  readonly share: readonly [part: number, parts: number];
}

/** Reads the cases and variations of a kind. */
export async function loadRefusals(kind: RefusalKind): Promise<Refusals> {
  const reasons = (await import("./computed.json", { with: { type: "json" } })).default as Computed;
  const computedOf = ({ op, name }: Pick<OpCase, "op" | "name">): readonly string[] =>
    kind === "indices" ? [] : Object.values(reasons).flatMap((calls) => calls[`${op}: ${name}`] ?? []);
  if (kind === "errors") {
    const { cases } = (await LOADERS.errors()).default as { readonly cases: readonly OpCase[] };
    return { kind, cases: cases.map((opCase) => refusedCase(opCase, computedOf(opCase))) };
  }
  const { cases } = (await LOADERS[kind]()).default as { readonly cases: readonly VariedCase[] };
  const families = new Map(await Promise.all(FAMILIES.map(async (name) => [name, await loadFamily(name)] as const)));
  const find = ({ family, op, name }: VariedCase): OpCase =>
    families.get(family)!.cases.find((each) => each.op === op && each.name === name)!;
  return { kind, cases: cases.map((each) => ({ ...each, opCase: find(each), computed: computedOf(each) })) };
}

/** Makes the entry of a case that PyTorch refuses without a variation. */
function refusedCase(opCase: OpCase, computed: readonly string[]): Refusals["cases"][number] {
  return { op: opCase.op, name: opCase.name, opCase, refused: [["unchanged"]], accepted: [], computed };
}

/**
 * Defines a test for each varied case: a call that PyTorch refuses must end in a coded error that does not report an
 * internal failure of the backend, and a call that PyTorch computes must have its results.
 */
export function testRefusals({ kind, cases }: Refusals, setup: RefusalSetup): void {
  const [part, parts] = setup.share;
  const shared = cases.filter((_, i) => kind === "indices" || i % parts === part);
  setup.runner.describe(`PyTorch refuses or computes other ${kind}`, () => {
    for (const { op, name, opCase, refused, accepted, computed } of shared) {
      setup.runner.it(`${op}: ${name}`, async (context) => {
        const reason = reasonFor(setup.skip, op, name) ?? reasonFor(setup.unsupported, op, name);
        if (reason !== undefined) return context.skip(reason);
        const backend = await setup.backend();
        if (opCase.tensors.some(({ dtype }) => !backend.capabilities.dtypes.includes(dtype))) {
          return context.skip("a dtype that the backend refuses");
        }
        const calls = [
          ...refused.map((variation) => ({ variation, results: null })),
          ...accepted.map(([variation, results]) => ({ variation, results })),
        ].map((call) => ({ ...call, opCase: varied(opCase, call) }));
        const problems =
          kind === "indices"
            ? await problemsOfIndices(opCase, calls, backend, setup)
            : await problemsOf(calls, "inputs", backend, setup);
        const known = (setup.lowers ? computed : []).map((call) => `inputs, ${call}: ${COMPUTED}`);
        const left = problems.filter((problem) => !known.includes(problem));
        for (const call of known) {
          if (!problems.includes(call)) left.push(`${call}: no longer, take it off computed.json`);
        }
        if (left.length > 0) throw new Error(left.join("\n"));
      });
    }
  });
}

/** A varied call with PyTorch's results; null if PyTorch refuses it. */
interface VariedCall {
  readonly variation: Variation;
  readonly results: readonly CaseResult[] | null;
  readonly opCase: OpCase;
}

/** Runs one program with all variations, even after one of them failed; some are also folded at load. */
async function problemsOfIndices(
  opCase: OpCase,
  calls: readonly VariedCall[],
  backend: Backend,
  setup: RefusalSetup,
): Promise<readonly string[]> {
  const { registry, tolerance } = setup;
  const { program, weights } = caseProgram(opCase, "inputs", registry, backend.capabilities);
  const problems: string[] = [];
  const check = async (where: string, program: Program, some: readonly VariedCall[]): Promise<void> => {
    const executable = await backend.compile({ program, weights, registry });
    try {
      for (const call of some) {
        if (isBeyond(call, backend)) continue;
        const given = caseProgram(call.opCase, "inputs", registry, backend.capabilities);
        const run = checkRun(backend, executable, call.opCase, given, tolerance);
        problems.push(...(await problemOf(call, where, run)));
      }
    } finally {
      await executable.dispose();
    }
  };
  await check("inputs", program, calls);
  const some = calls.filter((_, i) => i % SAMPLE === 0);
  const refused = some.filter(({ results }) => results === null);
  await check("beside elementwise ops", surround(program), refused);
  return [...problems, ...(await problemsOf(some, "constants", backend, setup))];
}

/** One in this many variations is also tested as a constant, and in a program in which the call can be fused. */
const SAMPLE = 6;

async function problemsOf(
  calls: readonly VariedCall[],
  placement: Placement,
  backend: Backend,
  { registry, tolerance }: RefusalSetup,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const call of calls) {
    if (isBeyond(call, backend)) continue;
    const run =
      call.results === null
        ? attempt(backend, call.opCase, placement, registry)
        : runCase(backend, call.opCase, placement, registry, tolerance);
    problems.push(...(await problemOf(call, placement, run)));
  }
  return problems;
}

/** Compiles and runs a call, whatever its result. */
async function attempt(backend: Backend, opCase: OpCase, placement: Placement, registry: OpRegistry): Promise<void> {
  const { program, weights, inputs } = caseProgram(opCase, placement, registry, backend.capabilities);
  const executable = await backend.compile({ program, weights, registry });
  try {
    await executable.run(inputs);
  } finally {
    await executable.dispose();
  }
}

/** Returns whether the backend's narrower dtypes cannot store the results. */
function isBeyond({ opCase, results }: VariedCall, { capabilities: { narrowed = {} } }: Backend): boolean {
  return results !== null && beyondNarrowed(opCase, narrowed) !== null;
}

/**
 * Returns the varied call with PyTorch's results. Results that the case does not compare are left out; arguments that
 * an in-place op writes to are returned.
 */
function varied(
  opCase: OpCase,
  { variation, results }: { readonly variation: Variation; readonly results: readonly CaseResult[] | null },
): OpCase {
  const call = varyCase(opCase, variation);
  if (results === null) return call;
  const expected = results.map((result, i) => (opCase.expected[i] === null ? null : result));
  const mutated = Object.keys(opCase.mutated ?? {}).map((name) => [name, results[0] as CaseTensor] as const);
  return { ...call, expected, mutated: Object.fromEntries(mutated) };
}

async function problemOf(
  { variation, results }: VariedCall,
  where: string,
  run: Promise<void>,
): Promise<readonly string[]> {
  const problem = results === null ? await refusalProblem(run) : await answerProblem(run);
  return problem === null ? [] : [`${where}, ${showVariation(variation)}: ${problem}`];
}

const COMPUTED = "computed, where PyTorch refuses";

/** Returns what is wrong with how a call that PyTorch refuses ended. */
async function refusalProblem(run: Promise<void>): Promise<string | null> {
  try {
    await run;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code !== "string") return `an error without a code: ${message.split("\n")[0]}`;
    return /\.internal$/.test(code) ? `${code}: ${message}` : null;
  }
  return COMPUTED;
}

async function answerProblem(run: Promise<void>): Promise<string | null> {
  return await run.then(
    () => null,
    (error: Error) => error.message,
  );
}
