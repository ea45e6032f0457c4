import { localTool, run } from "../run.ts";
import type { Check } from "./problem.ts";

function tool(name: string, args: readonly [string, ...string[]], advice: string): Check {
  return {
    name,
    async run() {
      const { code, output } = await run(localTool(args[0]), args.slice(1));
      return code === 0 ? [] : [{ where: args.join(" "), what: output.trimEnd(), advice }];
    },
  };
}

/** Types, of packages and programs alike. */
export const types: Check = tool(
  "types",
  ["tsc", "-b"],
  "fix the types; `any` and casts that hide the problem are refused too",
);

/** Lint rules and formatting. */
export const style: Check = tool(
  "style",
  ["biome", "check", "--error-on-warnings", "--diagnostic-level=warn", "--max-diagnostics=40", "."],
  "run `pnpm exec biome check --write .`; what remains needs a decision",
);

/** Files, exports and dependencies that nothing uses. */
export const unused: Check = tool(
  "unused code",
  ["knip", "--no-progress", "--treat-config-hints-as-errors"],
  "delete what nothing needs, and keep to its module what only that needs; files that are run by name are in knip.json",
);
