import { readdirSync, readFileSync } from "node:fs";

/** How the test files of a backend share the conformance suite. */
export interface SuiteShares {
  /** Every part of the suite: `SUITE_PARTS` of `@pt2/conformance`. */
  readonly parts: readonly string[];
  /** The parts that `conformance-NAME.test.ts` runs, by NAME. The file reads them as `SHARES.NAME`. */
  readonly shares: Readonly<Record<string, readonly string[]>>;
  /** Parts that no file runs, each of which needs a reason. */
  readonly notRun?: readonly string[];
}

/** Lists what keeps the test files in the folder of `test` from running the whole suite together. */
export function suiteProblems(test: string, { parts, shares, notRun = [] }: SuiteShares): readonly string[] {
  const folder = new URL(".", test);
  const files = readdirSync(folder).flatMap((file) => {
    const name = /^conformance-(?!parts\.)(\w+)\.test\.ts$/.exec(file)?.[1];
    return name === undefined ? [] : [{ name, text: readFileSync(new URL(file, folder), "utf8") }];
  });
  const run = new Set(Object.values(shares).flat());
  return [
    ...parts.filter((part) => !run.has(part) && !notRun.includes(part)).map((part) => `no file runs '${part}'`),
    ...notRun.filter((part) => run.has(part)).map((part) => `'${part}' is run`),
    ...Object.keys(shares)
      .filter((name) => files.every((file) => file.name !== name))
      .map((name) => `there is no conformance-${name}.test.ts`),
    ...files
      .filter(({ name, text }) => !text.includes(`SHARES.${name}`))
      .map(({ name }) => `conformance-${name}.test.ts does not run SHARES.${name}`),
  ];
}
