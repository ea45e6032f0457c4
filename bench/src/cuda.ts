// `pnpm bench:cuda`: see README.md.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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
    patience: { type: "string", default: "600" },
  },
});

const backend = await libtorch({ device: "cuda" });
const { version, cuda } = backend.info();
const gpu = typeof cuda === "string" ? cuda : `${cuda.devices[0]?.name}, CUDA ${cuda.version}`;
console.log(`${machine()}, ${gpu}, torch ${version}`);

const folder = await mkdtemp(join(tmpdir(), "pt2-cuda-"));
const names = [...MODELS, ...TIMM_MODELS].filter((name) => values.only?.includes(name) ?? true);
const together = Number(values.together);
const subject = { python: values.python, threads: Math.max(1, Math.floor(availableParallelism() / together)) };
const results: Comparison[] = [];
for (let at = 0; at < names.length; at += together) {
  const models = names.slice(at, at + together).map((name) => new ModelProcesses(name, folder, subject));
  const late = setTimeout(Number(values.patience) * 1000, `not ready after ${values.patience} s`);
  const ready = models.map(async (model) => {
    const problem = await Promise.race([model.ready.then(() => null, String), late]);
    if (problem === null) return model;
    console.log(`${model.name}: ${problem}`);
    model.close();
    return null;
  });
  // Nothing is measured while models still compile.
  for (const model of await Promise.all(ready)) {
    if (model === null) continue;
    const measured = await model.compare(Number(values.rounds));
    results.push(...measured);
    // The machine may be taken away before all are measured.
    console.error(comparisonTable(measured));
    model.close();
  }
}
await rm(folder, { recursive: true, force: true });
console.log(`\n${comparisonTable(results)}`);
process.exit(0);
