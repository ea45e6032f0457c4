// Calls every op of libtorch's dispatcher with plausible but wrong arguments, in processes of their own:
//
//   node -C dev --import tsx tests/src/fuzz/ops/walk-ops.ts [--ops PATTERN] [--seed N] [--calls N] [--seconds N]
//     [--unguarded] [--log FILE]
//   node -C dev --import tsx tests/src/fuzz/ops/walk-ops.ts --replay FILE
//
// A call that ends its process, does not come back in --seconds (20), or throws something without a code is a finding: it is
// printed, written to --log as a line of JSON, and the exit code is 1. `--replay` makes the calls of such a file again.
// Tensors lie in guarded memory (guarded-allocator.cc), so that reading one element too many ends a process too.
import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadAddon } from "@pt2/backend-libtorch/node";
import { type CallSpec, showCall } from "./call-spec.ts";
import { compileGuard } from "./compile-guard.ts";
import { type Finding, type WalkOptions, walk } from "./walk.ts";

const { values } = parseArgs({
  options: {
    ops: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    calls: { type: "string", default: "200" },
    seconds: { type: "string", default: "20" },
    unguarded: { type: "boolean", default: false },
    log: { type: "string" },
    replay: { type: "string" },
  },
});

const { addon, libtorch } = await loadAddon();
const guard = values.unguarded || process.platform !== "linux" ? null : await compileGuard(libtorch);
const pattern = new RegExp(values.ops);

function workOf(replay: string | undefined): WalkOptions["work"] {
  if (replay === undefined)
    return {
      ops: addon
        .operators()
        .filter((op) => pattern.test(op))
        .sort(),
    };
  const lines = readFileSync(replay, "utf8").split("\n").filter(Boolean);
  return { replay: lines.map((line) => (JSON.parse(line) as { readonly call: CallSpec }).call) };
}

const onFinding = (finding: Finding): void => {
  console.log(`${finding.problem}: ${showCall(finding.call)}`);
  if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify(finding)}\n`);
};
const { seed, calls, seconds } = values;
const work = workOf(values.replay);
const options = { guard, seed: Number(seed), calls: Number(calls), seconds: Number(seconds), work, onFinding };
const result = await walk(options);
const size = "ops" in work ? `${work.ops.length} ops, ` : "";
console.log(`${size}${result.calls} calls, ${result.ran} gave results, ${result.findings.length} findings`);
process.exit(result.findings.length > 0 ? 1 : 0);
