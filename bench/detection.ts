// `pnpm bench:detection`: see README.md.
import { parseArgs } from "node:util";
import type { Backend, HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { torchvision as onLibtorch } from "@pt2/ops-torchvision/libtorch";
import { torchvision as onWasm } from "@pt2/ops-torchvision/wasm";
import type { OpSet } from "@pt2/registry";
import { load, type Tensor } from "@pt2/runtime/node";
import { worstError } from "@pt2/testing/worst-error";
import { torchOp } from "./src/detection/torch-op.ts";
import { machine, table } from "./src/report.ts";
import { alternate, summarize } from "./src/statistics.ts";
import { ALLOWED, readTensors } from "./src/tensors.ts";

const OPS = ["nms_20000", "nms_20000_dense", "roi_align_1000x256", "deform_conv2d_256x28", "deform_conv2d_64x56"];

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "bench/models/detection" },
    python: { type: "string", default: process.env.PT2_PYTHON ?? "python3" },
    threads: { type: "string", default: "1" },
    only: { type: "string", multiple: true, default: OPS },
    seconds: { type: "string", default: "10" },
  },
});
const { models, python, only } = values;
const threads = Number(values.threads);

/** Loads the program of an op; its results must be torchvision's before anything is timed. */
async function ours(name: string, backend: Backend, ops: OpSet): Promise<() => Promise<unknown>> {
  const path = `${models}/${name}`;
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const [expected] = (await readTensors(`${path}.expected.safetensors`)) as readonly [HostTensor];
  const model = await load(`${path}.pt2`, { backend, ops: [ops] });
  const result = await model.forward<Tensor>(...inputs);
  const error = worstError(await result.read(), await expected.read(), ALLOWED);
  if (!(error < 1)) throw new Error(`${name} on ${backend.name} differs from torchvision: ${error}`);
  return () => model.forward(...inputs);
}

console.log(`${machine()}\n`);
const rows: (readonly string[])[] = [];
const native = await libtorch({ threads });
for (const name of only) {
  const theirs = await torchOp(python, models, name, threads);
  const subjects = {
    torchvision: () => theirs.run(),
    libtorch: await ours(name, native, onLibtorch),
    ...(threads === 1 && { wasm: await ours(name, wasm({ worker: false }), onWasm) }),
  };
  const times = await alternate<string>(subjects, {
    warmupMs: 2000,
    measureMs: Number(values.seconds) * 1000,
    leastRounds: 7,
  });
  const cells = Object.keys(subjects).map((subject) => {
    const { median, spread } = summarize(times[subject]!);
    const ratio = summarize(times[subject]!.map((ms, round) => ms / times.torchvision![round]!)).median;
    const time = `${median.toFixed(1)} ms ±${(spread * 100).toFixed(0)} %`;
    return subject === "torchvision" ? time : `${time}, ${ratio.toFixed(2)} ×`;
  });
  rows.push([name, ...cells]);
  theirs.release();
}
const count = `${threads} thread${threads === 1 ? "" : "s"}`;
console.log(table([`ops, ${count}`, "torchvision", "libtorch", ...(threads === 1 ? ["wasm"] : [])], rows));
process.exit(0);
