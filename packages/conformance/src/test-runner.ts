/** What a test sees of itself; Vitest's and `node:test`'s contexts both are one. */
export interface TestContext {
  /** Marks the running test as skipped, with the reason. */
  skip(reason?: string): void;
}

/** The functions of a test runner that the suite is written with. Vitest's own fit as they are. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: (context: TestContext) => Promise<void>): unknown;
  afterAll(run: () => Promise<void>): unknown;
}
