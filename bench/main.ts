// `pnpm bench`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareColdLoad } from "./src/cold-load.ts";
import { MODELS, TIMM_MODELS } from "./src/compared-models.ts";
import { compareModel } from "./src/models.ts";
import { productRate } from "./src/product-rate.ts";
import { coldLoadTable, machine, modelTable } from "./src/report.ts";
import { REST_MS } from "./src/statistics.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("models", import.meta.url)) },
    only: { type: "string", multiple: true },
    aten: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    threads: { type: "string", default: "1" },
    python: { type: "string", default: "python3" },
  },
});
const { models, only, aten, quick, python } = values;
const threads = Number(values.threads);

console.log(`${machine()}\n`);
const results = [];
const rate = await productRate();
const effort = {
  warmupMs: quick ? 1000 : 2000,
  measureMs: quick ? 2000 : 6000,
  leastRounds: quick ? 5 : 9,
  // Of several threads, runs after a rest are computed in different ways at first.
  leastWarmup: threads > 1 ? 20 : 3,
  pauseMs: threads > 1 ? REST_MS : 0,
};
for (const name of only ?? ["minilm", ...MODELS, ...TIMM_MODELS]) {
  if (!existsSync(`${models}/${name}.onnx`)) continue;
  const comparison = { folder: models, name: aten ? `${name}_aten` : name, base: name, threads };
  results.push(await compareModel(comparison, effort));
}
if (results.length > 0) console.log(modelTable(results, threads, rate));

const large = `${models}/vit_b_16`;
if ((only ?? ["load"]).includes("load") && existsSync(`${large}.pt2`)) {
  const result = await compareColdLoad(`${large}.pt2`, `${large}.inputs.safetensors`, python, quick ? 3 : 9);
  console.log(`\n${coldLoadTable(result)}`);
}
// ONNX Runtime keeps the event loop alive.
process.exit(0);
