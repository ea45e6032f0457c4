import type { Backend } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OpRegistry } from "@pt2/registry";
import { type Exceptions, reasonFor } from "../exceptions.ts";
import type { TestRunner } from "../test-runner.ts";
import type { Placement } from "./case-program.ts";
import type { CaseArg, CaseFamily, CaseResult, OpCase } from "./case-types.ts";
import { beyondNarrowed } from "./narrowed.ts";
import { orRefused, refuseCase, runCase, type Tolerances } from "./run-case.ts";

/** The arguments of {@link testFamily}. */
export interface OpTestSetup {
  readonly runner: TestRunner;
  readonly backend: () => Promise<Backend>;
  readonly registry: OpRegistry;
  readonly tolerance: Tolerances;
  readonly skip: Exceptions;
  readonly unsupported: Exceptions;
}

/**
 * Defines the tests of a family: every case with its tensors as inputs; the first case of each op, and all cases with
 * non-dense strides, also with constants.
 */
export function testFamily({ family, cases }: CaseFamily, setup: OpTestSetup): void {
  const { describe } = setup.runner;
  const seen = new Set<string>();
  describe(family, () => {
    for (const opCase of cases.filter(isPortable)) {
      testCase(opCase, "inputs", setup);
      const strided = opCase.tensors.some(({ strides }) => strides !== undefined);
      if (opCase.tensors.length > 0 && (strided || !seen.has(opCase.op))) testCase(opCase, "constants", setup);
      seen.add(opCase.op);
    }
  });
}

/**
 * Returns whether a case means the same in a functional program. Functional programs have no storages: `as_strided`
 * indexes the elements of its argument in row-major order, so a case that reads behind a non-dense argument has another
 * result.
 */
function isPortable({ op, tensors }: OpCase): boolean {
  return !/^aten::as_strided/.test(op) || tensors.every(({ strides }) => strides === undefined);
}

function testCase(opCase: OpCase, placement: Placement, setup: OpTestSetup): void {
  const { op, name } = opCase;
  const { registry, tolerance } = setup;
  const title = `${op}: ${name}${placement === "constants" ? " (constants)" : ""}`;
  const refused = reasonFor(setup.unsupported, op, name);
  const skipped = reasonFor(setup.skip, op, name);
  setup.runner.it(title, async (context) => {
    if (skipped !== undefined) return context.skip(skipped);
    const backend = await setup.backend();
    const foreign = dtypesOf(opCase).find((dtype) => !backend.capabilities.dtypes.includes(dtype));
    if (refused !== undefined || foreign !== undefined) return await refuseCase(backend, opCase, registry);
    const beyond = beyondNarrowed(opCase, backend.capabilities.narrowed ?? {});
    if (beyond === "results") return context.skip("results that the backend's narrower dtype does not have");
    const run = runCase(backend, opCase, placement, registry, tolerance);
    await (beyond === "arguments" ? orRefused(run) : run);
  });
}

/** Returns the dtypes of a case's tensors and results, and those that its arguments name. */
export function dtypesOf({ tensors, expected, args }: OpCase): readonly DType[] {
  const ofArg = (arg: CaseArg): readonly DType[] => {
    if (typeof arg !== "object" || arg === null) return [];
    if (Array.isArray(arg)) return (arg as readonly CaseArg[]).flatMap(ofArg);
    return "dtype" in arg ? [arg.dtype] : [];
  };
  const ofResult = (result: CaseResult): readonly DType[] => {
    if (typeof result !== "object" || result === null) return [];
    if (Array.isArray(result)) return (result as readonly CaseResult[]).flatMap(ofResult);
    return "dtype" in result ? [result.dtype] : [];
  };
  return [...tensors.map(({ dtype }) => dtype), ...expected.flatMap(ofResult), ...Object.values(args).flatMap(ofArg)];
}
