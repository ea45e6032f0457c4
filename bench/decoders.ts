// `pnpm bench:decoders`: tokens of a decoder in several dtypes, on the backends and in PyTorch, in turns: see README.md.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { load } from "@pt2/runtime/node";
import { backendsOn } from "./src/open-for.ts";
import { machine, table } from "./src/report.ts";
import { alternate, summarize } from "./src/statistics.ts";
import { SubjectProcess } from "./src/subject-process.ts";
import { readTensors, worstOf } from "./src/tensors.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/decoders" },
    backend: { type: "string", multiple: true, default: ["wasm", "libtorch"] },
    dtype: { type: "string", multiple: true, default: ["float32", "bfloat16", "float16"] },
    threads: { type: "string", default: "1" },
    python: { type: "string" },
  },
});
const backends = backendsOn(Number(values.threads));

console.log(`${machine()}\n`);
const rows: (readonly string[])[] = [];
for (const dtype of values.dtype.filter((name) => existsSync(join(values.models, `${name}.pt2`)))) {
  const path = join(values.models, dtype);
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const expected = await readTensors(`${path}.expected.safetensors`);
  const runs: Record<string, () => Promise<unknown>> = {};
  const weights = new Map<string, number>();
  const opened: (() => Promise<unknown>)[] = [];
  for (const name of values.backend) {
    const backend = await backends[name]!();
    const model = await load(`${path}.pt2`, { backend });
    const results = (await model.runFlat(inputs)) as readonly { readonly data: ArrayLike<number> }[];
    const error = worstOf(
      results.map(({ data }) => data),
      expected,
    );
    if (!(error <= 1)) throw new Error(`${dtype} on ${name}: ${error} of the tolerance`);
    runs[name] = () => model.runFlat(inputs);
    weights.set(name, (await model.memory()).weights);
    opened.push(
      () => model.dispose(),
      () => backend.dispose(),
    );
  }
  if (values.python !== undefined) {
    const command = [
      values.python,
      "src/libtorch/subject.py",
      "exported",
      resolve(values.models),
      dtype,
      values.threads,
    ];
    const torch = new SubjectProcess(command as [string, ...string[]]);
    await torch.ready;
    runs.PyTorch = () => torch.run();
    opened.push(async () => torch.close());
  }
  const times = await alternate(runs, { warmupMs: 500, measureMs: 8000, leastRounds: 15 });
  for (const [name, series] of Object.entries(times)) {
    const { median, spread } = summarize(series);
    const memory = weights.has(name) ? `${(weights.get(name)! / 1e6).toFixed(0)} MB` : "–";
    rows.push([
      dtype,
      name,
      `${median.toFixed(1)} ms ±${Math.round(100 * spread)} %`,
      (1000 / median).toFixed(0),
      memory,
    ]);
  }
  for (const close of opened) await close();
}
console.log(table(["dtype", "runs on", "a token", "tokens / s", "weights and cache"], rows));
process.exit(0);
