// `pnpm bench:training`: see README.md.
import { parseArgs } from "node:util";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { machine, table } from "./src/report.ts";
import { alternate, summarize } from "./src/statistics.ts";
import { jax } from "./src/training/jax.ts";
import { ours } from "./src/training/ours.ts";
import { batchOf, initialWeights, type Trained } from "./src/training/task.ts";
import { torch } from "./src/training/torch.ts";

const { values } = parseArgs({
  options: {
    python: { type: "string", default: "python3" },
    batch: { type: "string", default: "5,32" },
    seconds: { type: "string", default: "10" },
  },
});

/** Steps of one measurement: a single one is too short to time. */
const STEPS = 10;

console.log(machine());
for (const size of values.batch.split(",").map(Number)) {
  const batch = batchOf(size);
  const subjects: Record<string, Trained> = {
    "wasm, calling thread": await ours(wasm({ worker: false }), batch),
    "jax-js, wasm": await jax(batch, await initialWeights()),
    "libtorch, 1 thread": await ours(await libtorch({ threads: 1 }), batch),
    "PyTorch eager, 1 thread": await torch(values.python, 1, "default", batch),
    "PyTorch eager, fused Adam, 1 thread": await torch(values.python, 1, "fused", batch),
  };
  // The same work: the losses of the first steps agree.
  const losses: Record<string, readonly number[]> = {};
  for (const [name, subject] of Object.entries(subjects)) {
    const first: number[] = [];
    for (let i = 0; i < 5; i++) first.push(await subject.step());
    losses[name] = first;
  }
  const [right] = Object.values(losses);
  for (const [name, found] of Object.entries(losses)) {
    const worst = Math.max(...found.map((loss, i) => Math.abs(loss / right![i]! - 1)));
    if (!(worst < 1e-2)) throw new Error(`${name} computes something else: ${found} instead of ${right}`);
  }
  const steps = Object.fromEntries(
    Object.entries(subjects).map(([name, subject]) => [
      name,
      async () => {
        for (let i = 0; i < STEPS; i++) await subject.step();
      },
    ]),
  );
  const effort = { warmupMs: 3000, measureMs: Number(values.seconds) * 1000, leastRounds: 15 };
  const times = await alternate(steps, effort);
  const ratioTo = (name: string, other: string): string => {
    const ratios = times[name]!.map((ms, round) => ms / times[other]![round]!);
    return summarize(ratios).median.toFixed(2);
  };
  const rows = Object.keys(subjects).map((name) => {
    const { median, spread, min } = summarize(times[name]!.map((ms) => ms / STEPS));
    return [
      name,
      `${median.toFixed(3)} ms ±${(spread * 100).toFixed(0)} %`,
      `${min.toFixed(3)} ms`,
      ratioTo(name, "jax-js, wasm"),
      ratioTo(name, "PyTorch eager, 1 thread"),
    ];
  });
  const head = [`batch of ${size}`, "step, median", "least", "/ jax-js", "/ PyTorch eager"];
  console.log(`\n${table(head, rows)}`);
  for (const subject of Object.values(subjects)) await subject.release();
}
process.exit(0);
