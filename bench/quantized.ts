// `pnpm bench:quantized`: linear layers in float32, and quantized, in turns on one backend: see README.md.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, type Model } from "@pt2/runtime/node";
import { backendsOn } from "./src/open-for.ts";
import { machine, table } from "./src/report.ts";
import { alternate, summarize } from "./src/statistics.ts";
import { readTensors } from "./src/tensors.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/quantized" },
    backend: { type: "string", multiple: true, default: ["wasm", "libtorch"] },
    threads: { type: "string", default: "1" },
  },
});
const backends: ReturnType<typeof backendsOn> = {
  ...backendsOn(Number(values.threads)),
  // The scales of activations are float64 in some of the files.
  webgpu: async () => await (await import("@pt2/backend-webgpu/node")).webgpu({ narrowFloat64: true }),
};

console.log(`${machine()}\n`);
const files = readdirSync(values.models).flatMap((file) => (file.endsWith(".pt2") ? [file.slice(0, -4)] : []));
const rows: (readonly string[])[] = [];
for (const name of values.backend) {
  await using backend = await backends[name]!();
  for (const count of ["rows 1", "rows 32"]) {
    const models = new Map<string, Model>();
    const runs: Record<string, () => Promise<unknown>> = {};
    for (const file of files.filter((each) => each.endsWith(`, ${count}`))) {
      const path = join(values.models, file);
      const [model, inputs] = [await load(`${path}.pt2`, { backend }), await readTensors(`${path}.inputs.safetensors`)];
      models.set(file, model);
      runs[file] = () => model.runFlat(inputs);
    }
    const times = await alternate(runs, { warmupMs: 500, measureMs: 4000, leastRounds: 15 });
    const medians = new Map(Object.entries(times).map(([file, series]) => [file, summarize(series)]));
    const whole = medians.get(`float32, ${count}`)!.median;
    for (const [file, { median, spread }] of medians) {
      const { weights } = await models.get(file)!.memory();
      const time = `${median.toFixed(2)} ms ±${Math.round(100 * spread)} %`;
      rows.push([file, name, `${(weights / 1e6).toFixed(1)} MB`, time, (median / whole).toFixed(2)]);
    }
    for (const model of models.values()) await model.dispose();
  }
}
console.log(table(["layers", "backend", "weights", "time", "of float32"], rows));
process.exit(0);
