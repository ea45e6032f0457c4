// `pnpm bench:training`: see README.md.
import { parseArgs } from "node:util";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu";
import { machine, table } from "./src/report.ts";
import { alternate, summarize } from "./src/statistics.ts";
import { digits } from "./src/training/digits.ts";
import { gpt2 } from "./src/training/gpt2.ts";
import { jax } from "./src/training/jax.ts";
import { ours } from "./src/training/ours.ts";
import { initialWeights, type Task, type Trained } from "./src/training/task.ts";
import { tfjs } from "./src/training/tfjs.ts";
import { torch } from "./src/training/torch.ts";
import { adapterLine, gpu, installWebgpu } from "./src/webgpu/dawn.ts";

const { values } = parseArgs({
  options: {
    python: { type: "string", default: process.env.PT2_PYTHON ?? "python3" },
    task: { type: "string", default: "digits:5,digits:32,gpt2:4" },
    subjects: { type: "string", default: "cpu" },
    threads: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
  },
});
const threads = Number(values.threads);

/** Steps of one measurement: a single one of the digits network is too short to time. */
const STEPS = 10;

/** What computes on the processor; with several threads, what has them. */
async function onCpu(task: Task): Promise<Record<string, Trained>> {
  const alone: Record<string, Trained> =
    threads > 1
      ? {}
      : {
          "wasm, calling thread": await ours(wasm({ worker: false, threads: 1 }), task),
          "jax-js, wasm": await jax("wasm", task, await initialWeights(task)),
        };
  const count = `${threads} thread${threads === 1 ? "" : "s"}`;
  return {
    [`PyTorch eager, ${count}`]: await torch(values.python, threads, "default", task),
    [`PyTorch eager, fused Adam, ${count}`]: await torch(values.python, threads, "fused", task),
    [`libtorch, ${count}`]: await ours(await libtorch({ threads }), task),
    ...alone,
  };
}

/** What computes on one WebGPU adapter. */
async function onWebgpu(task: Task): Promise<Record<string, Trained>> {
  const backend = await webgpu({ adapter: () => gpu.requestAdapter({ powerPreference: "high-performance" }) });
  return {
    "jax-js, webgpu": await jax("webgpu", task, await initialWeights(task)),
    "tfjs, webgpu": await tfjs(task, await initialWeights(task)),
    webgpu: await ours(backend, task),
  };
}

/** The same work: the losses of the first steps agree within 1 %. */
async function requireSameLosses(subjects: Readonly<Record<string, Trained>>): Promise<void> {
  let right: readonly number[] | undefined;
  for (const [name, subject] of Object.entries(subjects)) {
    const found: number[] = [];
    for (let i = 0; i < 5; i++) found.push(await subject.step());
    right ??= found;
    const worst = Math.max(...found.map((loss, i) => Math.abs(loss / right![i]! - 1)));
    if (!(worst < 1e-2)) throw new Error(`${name} computes something else: ${found} instead of ${right}`);
  }
}

console.log(machine());
if (values.subjects === "webgpu") {
  installWebgpu();
  console.log(await adapterLine());
}
for (const chosen of values.task.split(",")) {
  const [name, size] = chosen.split(":");
  const task = name === "gpt2" ? gpt2(Number(size), values.python) : digits(Number(size));
  const subjects = await (values.subjects === "webgpu" ? onWebgpu(task) : onCpu(task));
  await requireSameLosses(subjects);
  const steps = Object.fromEntries(
    Object.entries(subjects).map(([subject, { step }]) => [
      subject,
      async () => {
        for (let i = 0; i < STEPS; i++) await step();
      },
    ]),
  );
  const effort = { warmupMs: 3000, measureMs: Number(values.seconds) * 1000, leastRounds: 9, leastWarmup: 1 };
  const times = await alternate(steps, effort);
  const [reference] = Object.keys(subjects);
  const rows = Object.keys(subjects).map((subject) => {
    const { median, spread, min } = summarize(times[subject]!.map((ms) => ms / STEPS));
    const ratios = times[subject]!.map((ms, round) => ms / times[reference!]![round]!);
    return [
      subject,
      `${median.toFixed(3)} ms ±${(spread * 100).toFixed(0)} %`,
      `${min.toFixed(3)} ms`,
      summarize(ratios).median.toFixed(2),
    ];
  });
  console.log(`\n${table([task.name, "step, median", "least", `/ ${reference}`], rows)}`);
  for (const subject of Object.values(subjects)) await subject.release();
}
process.exit(0);
