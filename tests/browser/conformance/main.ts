// The conformance suite in a page: it keeps its tests, and runs those that it is asked to run.
import { webgpu } from "@pt2/backend-webgpu";
import { type TestBackendOptions, type TestContext, testBackend } from "@pt2/conformance";

/** What the page offers. */
export interface ConformancePage {
  /** Defines the suite's tests. */
  define(name: string, options: Omit<TestBackendOptions, "runner">): Promise<void>;
  /** Runs a test, by the names of its groups and its own. */
  run(path: readonly string[]): Promise<TestOutcome>;
  /** Frees what the tests shared. */
  finish(): Promise<void>;
}

/** How a test ended. */
export type TestOutcome = { readonly skipped: string } | { readonly failed: string } | "passed";

declare global {
  var conformance: ConformancePage;
}

const tests = new Map<string, (context: TestContext) => Promise<void>>();
const last: (() => Promise<void>)[] = [];
const groups: string[] = [];

globalThis.conformance = {
  define: (name, options) =>
    testBackend(name, () => webgpu(), {
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
    }),
  async run(path) {
    let outcome: TestOutcome = "passed";
    try {
      await tests.get(JSON.stringify(path))!({
        skip(reason = "") {
          outcome = { skipped: reason };
        },
      });
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
    return outcome;
  },
  async finish() {
    for (const run of last) await run();
  },
};
