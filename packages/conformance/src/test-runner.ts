/** The context of a running test; those of Vitest and of `node:test` both fit. */
export interface TestContext {
  /** Marks the running test as skipped, with the reason. */
  skip(reason?: string): void;
}

/** The functions of a test runner that the suite uses. Vitest's fit without an adapter. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: (context: TestContext) => Promise<void>): unknown;
  afterAll(run: () => Promise<void>): unknown;
}
