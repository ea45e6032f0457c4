// `node -C dev --import tsx src/dialects.ts`: see README.md.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODELS } from "./compared-models.ts";
import { compareCpu } from "./cpu-time.ts";
import { BACKENDS, openFor, type Run } from "./open-for.ts";
import { machine, table } from "./report.ts";
import { summarize } from "./statistics.ts";
import { readTensors, worstOf } from "./tensors.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: fileURLToPath(new URL("../models", import.meta.url)) },
    only: { type: "string", multiple: true, default: [...MODELS] },
    backend: { type: "string", default: "wasm" },
    rounds: { type: "string", default: "9" },
  },
});

const backend = await BACKENDS[values.backend]!();
const rows: (readonly string[])[] = [];
for (const name of values.only) {
  const path = `${values.models}/${name}`;
  if (!existsSync(`${path}_aten.pt2`)) continue;
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const expected = await readTensors(`${path}.expected.safetensors`);
  const error = async (run: Run): Promise<string> => {
    return worstOf(await run(), expected).toFixed(3);
  };
  const exported = await openFor(backend, `${path}.pt2`, inputs);
  const decomposed = await openFor(backend, `${path}_aten.pt2`, inputs);
  const errors = `${await error(exported)} / ${await error(decomposed)}`;
  const times = await compareCpu([exported, decomposed], Number(values.rounds));
  const ratio = summarize(times[1].map((ms, i) => ms / times[0][i]!));
  // What else the machine does costs processor time too, through caches, but never makes a round faster.
  const fastest = times.map((each) => Math.min(...each)) as [number, number];
  rows.push([
    name,
    fastest[0].toFixed(1),
    fastest[1].toFixed(1),
    (fastest[1] / fastest[0]).toFixed(2),
    `${ratio.median.toFixed(2)} ±${(ratio.spread * 100).toFixed(0)} %`,
    errors,
  ]);
  console.error(rows.at(-1)!.join("  "));
}
console.log(`${machine()}, ${values.backend}\n`);
console.log(
  table(["model", "exported ms", "decomposed ms", "decomposed / exported", "median of rounds", "error"], rows),
);
process.exit(0);
