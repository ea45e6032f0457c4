// `pnpm bench:cuda`: see README.md.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { libtorch } from "@pt2/backend-libtorch/node";
import { MODELS, TIMM_MODELS } from "./compared-models.ts";
import { type Comparison, ModelProcesses } from "./cuda/compare.ts";
import { comparisonTable } from "./cuda/comparison-table.ts";
import { machine } from "./report.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "5" },
    python: { type: "string", default: process.env.PT2_PYTHON ?? "python3" },
    together: { type: "string", default: "8" },
  },
});

const backend = await libtorch({ device: "cuda" });
const { version, cuda } = backend.info();
const gpu = typeof cuda === "string" ? cuda : `${cuda.devices[0]?.name}, CUDA ${cuda.version}`;
console.log(`${machine()}, ${gpu}, torch ${version}`);

const folder = await mkdtemp(join(tmpdir(), "pt2-cuda-"));
const names = [...MODELS, ...TIMM_MODELS].filter((name) => values.only?.includes(name) ?? true);
const together = Number(values.together);
const results: Comparison[] = [];
for (let at = 0; at < names.length; at += together) {
  const models = names.slice(at, at + together).map((name) => new ModelProcesses(name, folder, values.python));
  // Nothing is measured while models still compile.
  const ready = await Promise.allSettled(models.map((model) => model.ready));
  for (const [i, model] of models.entries()) {
    const outcome = ready[i]!;
    if (outcome.status === "fulfilled") results.push(...(await model.compare(Number(values.rounds))));
    else console.log(`${model.name}: ${(outcome.reason as Error).message}`);
    model.close();
    console.error(`${model.name}: done`);
  }
}
await rm(folder, { recursive: true, force: true });
console.log(`\n${comparisonTable(results)}`);
process.exit(0);
