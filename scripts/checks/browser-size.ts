import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.ts";
import type { Check, Problem } from "./problem.ts";

interface Path {
  readonly what: string;
  /** A package whose dependencies reach everything that `code` imports. */
  readonly folder: string;
  readonly code: string;
  readonly budget: number;
}

const PATHS: readonly Path[] = [
  {
    what: "format + graph + registry + backend + runtime",
    folder: "packages/runtime",
    code: 'export { load } from "@pt2/runtime";',
    budget: 75_000,
  },
];

/** What a web page downloads before it has a backend: the code behind `load`, minified and gzipped. */
export const browserSize: Check = {
  name: "browser size",
  async run(report) {
    const problems: Problem[] = [];
    for (const { what, folder, code, budget } of PATHS) {
      const { code: bytes, nodeImports } = await bundle({ code, folder });
      const size = gzipSync(bytes, { level: 9 }).length;
      report(`${what}: ${kB(size)} gzip of at most ${kB(budget)}, ${kB(bytes.length)} minified`);
      if (size > budget) {
        const advice = "look at what came in with `esbuild --analyze`; data belongs behind an entry point of its own";
        problems.push({ where: what, what: `${kB(size)} gzip; the budget is ${kB(budget)}`, advice });
      }
      for (const { module, from } of nodeImports) {
        problems.push({ where: from, what: `imports ${module} on the browser path`, advice: "put it behind /node" });
      }
    }
    return problems;
  },
};

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
