import { type TestBackendOptions, type TestContext, testBackend } from "@pt2/conformance";

/** The tests of the conformance suite, which somewhere else decides to run. */
export interface DeclaredTests {
  /** By the names of their groups and their own, as JSON. */
  readonly tests: ReadonlyMap<string, (context: TestContext) => Promise<void>>;
  /** Frees what the tests shared. */
  finish(): Promise<void>;
}

/** Keeps the tests that `testBackend` declares. */
export async function declaredTests(
  name: string,
  make: Parameters<typeof testBackend>[1],
  options: Omit<TestBackendOptions, "runner">,
): Promise<DeclaredTests> {
  const tests = new Map<string, (context: TestContext) => Promise<void>>();
  const last: (() => Promise<void>)[] = [];
  const groups: string[] = [];
  await testBackend(name, make, {
    ...options,
    runner: {
      describe(group, define) {
        groups.push(group);
        define();
        groups.pop();
      },
      it: (test, run) => tests.set(JSON.stringify([...groups, test]), run),
      afterAll: (run) => last.push(run),
    },
  });
  return {
    tests,
    async finish() {
      for (const run of last) await run();
    },
  };
}
