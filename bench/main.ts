// `pnpm bench`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareColdLoad } from "./src/cold-load.ts";
import { compareModel, MODELS } from "./src/models.ts";
import { coldLoadTable, machine, modelTable } from "./src/report.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("models", import.meta.url)) },
    only: { type: "string", multiple: true },
    aten: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    python: { type: "string", default: "python3" },
  },
});
const { models, only, aten, quick, python } = values;
const wanted = (name: string): boolean => only === undefined || only.includes(name);

console.log(`${machine()}\n`);
const results = [];
for (const [name, ms] of Object.entries(MODELS)) {
  if (!wanted(name)) continue;
  const measureMs = quick ? ms / 4 : ms;
  const effort = { warmupMs: Math.min(2000, measureMs / 2), measureMs, leastRounds: 7 };
  results.push(await compareModel(models, aten ? `${name}_aten` : name, name, effort));
}
if (results.length > 0) console.log(modelTable(results));

const large = `${models}/vit_b_16`;
if (wanted("load") && existsSync(`${large}.pt2`)) {
  const result = await compareColdLoad(`${large}.pt2`, `${large}.inputs.safetensors`, python, quick ? 3 : 9);
  console.log(`\n${coldLoadTable(result)}`);
}
// ONNX Runtime keeps the event loop alive.
process.exit(0);
