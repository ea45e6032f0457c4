// Does a small part of what `walk-ops.ts` does for every op of the dispatcher.
import { loadAddon } from "@pt2/backend-libtorch/node";
import { describe, expect, it } from "vitest";
import { missingLibtorch } from "../../backends.ts";
import { showCall } from "./call-spec.ts";
import { compileGuard } from "./compile-guard.ts";
import { RARE_CALLS } from "./rare-calls.ts";
import { walk } from "./walk.ts";

const missing = await missingLibtorch();
const reason = missing === null ? "" : ` (skipped: ${missing}; run \`pnpm run setup\`)`;

/** The calls of each op. Long walks find new crashes; here those that were found must not come back. */
const CALLS = 40;

describe.skipIf(missing !== null)(`ops of libtorch with fuzzed arguments${reason}`, () => {
  it("ops end in results or in coded errors, and read nothing but their arguments", async () => {
    const { addon, libtorch } = await loadAddon();
    const known = new Set(addon.operators());
    const ops = [...new Set(RARE_CALLS.map((call) => call.slice(0, call.indexOf("("))))].filter((op) => known.has(op));
    const guard = process.platform === "linux" ? await compileGuard(libtorch) : null;
    const { findings, ran } = await walk({ guard, seed: 1, calls: CALLS, seconds: 600, work: { ops } });
    expect(findings.map(({ problem, call }) => `${problem}: ${showCall(call)}`)).toEqual([]);
    expect(ran).toBeGreaterThan(5 * ops.length);
  });
});
