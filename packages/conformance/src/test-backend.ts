import type { Backend } from "@pt2/backend";
import { requireOptions } from "@pt2/format/options";
import { createRegistry, type OpRegistry } from "@pt2/registry";
import { aten, libraries } from "@pt2/registry/aten";
import { type Exceptions, unknownKeys } from "./exceptions.ts";
import { LIFECYCLE, testLifecycle } from "./lifecycle/test-lifecycle.ts";
import { FAMILIES, type FamilyName, loadFamily } from "./ops/families.ts";
import type { Tolerances } from "./ops/run-case.ts";
import { testFamily } from "./ops/test-ops.ts";
import { loadStreams, testRandom } from "./random/test-random.ts";
import { loadRefusals, type RefusalKind, testRefusals } from "./refusals/test-refusals.ts";
import type { TestRunner } from "./test-runner.ts";
import { testUserOps, USER_OPS } from "./user-ops/test-user-ops.ts";

/**
 * A part of the suite: the cases of a family of ops, variations of these cases, the lifecycle of programs, ops that users
 * define, or random numbers after a seed.
 */
export type SuitePart = FamilyName | RefusalKind | "lifecycle" | "user-ops" | "random";

/** How a backend is tested. */
export interface TestBackendOptions {
  /** The functions `{ describe, it, afterAll }` of Vitest, or of another test runner. */
  readonly runner: TestRunner;
  /**
   * The ops and cases that this backend cannot run, with the reason. It must report each of them in `unsupported` and
   * refuse it in `compile` with a coded error; a case that runs after all fails the test.
   */
  readonly unsupported?: Exceptions;
  /** The cases that are not run, with the reason. */
  readonly skip?: Exceptions;
  /** The tolerances of this backend, by dtype. Default: `DEFAULT_TOLERANCE`. */
  readonly tolerance?: Tolerances;
  /**
   * Whether the backend lowers programs with the registry, which computes some calls that PyTorch refuses: those in
   * `refusals/computed.json`, each with a reason. Default: false.
   */
  readonly lowers?: boolean;
  /** Which share of the varied cases is tested: `[2, 10]` is every tenth, from the third on. Default: all of them. */
  readonly share?: readonly [part: number, parts: number];
  /** The parts to test. Default: all. Several test files can share the work. */
  readonly parts?: readonly SuitePart[];
  /**
   * A kernel in the form that op sets provide for this backend, which doubles a float32 tensor: `mine::twice(Tensor
   * self) -> Tensor`. Without it, kernels of users are not tested.
   */
  readonly kernel?: unknown;
}

const OPTIONS: Readonly<Record<keyof TestBackendOptions, string>> = {
  runner: "object",
  unsupported: "object",
  skip: "object",
  tolerance: "object",
  lowers: "boolean",
  share: "array",
  parts: "array",
  kernel: "unknown",
};

const REFUSALS: readonly RefusalKind[] = ["indices", "arguments", "errors"];

/** Every part of the suite. */
export const SUITE_PARTS: readonly SuitePart[] = [...FAMILIES, ...REFUSALS, "random", "lifecycle", "user-ops"];

/**
 * Defines the tests of the backend contract: every op case with PyTorch's results, and the lifecycle of programs. Await
 * it at the top level of a test file. `factory` is called once, for all of them.
 */
export async function testBackend(
  name: string,
  factory: () => Backend | Promise<Backend>,
  options: TestBackendOptions,
): Promise<void> {
  requireOptions("testBackend()", options, OPTIONS, "conformance.options", "runner");
  const { runner, unsupported = {}, skip = {}, tolerance = {}, lowers = false } = options;
  const { share = [0, 1], parts = SUITE_PARTS, kernel } = options;
  const registry: OpRegistry = createRegistry({ sets: [aten, ...libraries] });
  const families = await Promise.all(parts.filter(isFamily).map(loadFamily));
  const refusals = await Promise.all(REFUSALS.filter((part) => parts.includes(part)).map(loadRefusals));
  const streams = parts.includes("random") ? await loadStreams() : [];
  let made: Promise<Backend> | undefined;
  const backend = (): Promise<Backend> => {
    made ??= Promise.resolve(factory());
    return made;
  };
  runner.describe(name, () => {
    runner.afterAll(async () => (await made)?.dispose());
    runner.it("exceptions name what exists", async () => {
      const cases = (await Promise.all(FAMILIES.map(loadFamily))).flatMap((family) => family.cases);
      const random = (await loadStreams()).map((stream) => ({ op: "random", name: stream.name }));
      const unknown = unknownKeys({ ...unsupported, ...skip }, [...cases, ...random], [...LIFECYCLE, ...USER_OPS]);
      if (unknown.length > 0) throw new Error(`no case has these names: ${unknown.join(", ")}`);
    });
    const setup = { runner, backend, registry, tolerance, skip, unsupported, lowers, share };
    for (const family of families) testFamily(family, setup);
    for (const each of refusals) testRefusals(each, setup);
    if (streams.length > 0) testRandom({ runner, backend, registry, tolerance, skip, streams });
    if (parts.includes("lifecycle")) testLifecycle({ runner, backend, factory, registry, skip });
    if (parts.includes("user-ops")) testUserOps({ runner, backend, skip, kernel });
  });
}

function isFamily(part: SuitePart): part is FamilyName {
  return part !== "lifecycle" && part !== "user-ops" && part !== "random" && !REFUSALS.includes(part as RefusalKind);
}
