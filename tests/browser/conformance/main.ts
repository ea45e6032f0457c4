// The conformance suite in a page: it keeps its tests, and runs those that it is asked to run.
import { webgpu } from "@pt2/backend-webgpu";
import type { TestBackendOptions } from "@pt2/conformance";
import { type DeclaredTests, declaredTests } from "../declared-tests.ts";

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

let declared: DeclaredTests | undefined;

globalThis.conformance = {
  async define(name, options) {
    declared = await declaredTests(name, () => webgpu(), options);
  },
  async run(path) {
    let outcome: TestOutcome = "passed";
    try {
      await declared!.tests.get(JSON.stringify(path))!({
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
    await declared?.finish();
  },
};
