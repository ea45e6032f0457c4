// This project on a GPU, for the benchmark: `subject.ts FOLDER NAME`, with the protocol of subject.py for the files that it
// writes. KIND is fast, exact, or graphs (fast, recorded). The first line has the errors, by kind and batch.
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { HostTensor, Tensor } from "@pt2/backend";
import { type LibtorchOptions, libtorch } from "@pt2/backend-libtorch/node";
import { load, type Model } from "@pt2/runtime/node";
import { summarize } from "../statistics.ts";
import { readTensors } from "../tensors.ts";

const [folder, name] = process.argv.slice(2) as [string, string];
const KINDS: Readonly<Record<string, { readonly precision: "exact" | "fast"; readonly options?: LibtorchOptions }>> = {
  exact: { precision: "exact" },
  fast: { precision: "fast" },
  graphs: { precision: "fast", options: { cudaGraphs: true } },
};

interface Subject {
  readonly model: Model;
  readonly inputs: readonly Tensor[];
}

/** The largest error of an element, as a fraction of the largest element of its tensor. */
function errorOf(given: readonly HostTensor[], wanted: readonly HostTensor[]): number {
  return Math.max(
    ...wanted.map(({ data }, i) => {
      const [a, b] = [given[i]!.data as Float32Array, data as Float32Array];
      const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      return b.reduce((worst, value, k) => Math.max(worst, Math.abs(value - a[k]!)), 0) / largest;
    }),
  );
}

async function once({ model, inputs }: Subject): Promise<void> {
  for (const result of await model.runFlat(inputs)) (result as Tensor).dispose();
}

async function measured(subject: Subject): Promise<number> {
  for (let i = 0; i < 5; i++) await once(subject);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await once(subject);
    times.push(performance.now() - began);
  }
  return summarize(times).median;
}

const subjects = new Map<string, Subject>();
const errors: Record<string, number> = {};
for (const batch of [1, 32]) {
  const path = join(folder, `${name}.b${batch}`);
  const given = await readTensors(`${path}.inputs.safetensors`);
  const wanted = await readTensors(`${path}.expected.safetensors`);
  for (const [kind, { precision, options }] of Object.entries(KINDS)) {
    const backend = await libtorch({ device: "cuda", outputs: "device", flags: { cudnnTf32: true }, ...options });
    const model = await load(`${path}.pt2`, { backend, precision });
    const inputs = await Promise.all(given.map((tensor) => backend.upload(tensor)));
    const key = `${kind} ${batch}`;
    errors[key] = 0;
    // The second run is recorded, and the third one is the first to be replayed.
    for (let run = 0; run < 3; run++) {
      const results = (await model.runFlat(inputs)) as readonly Tensor[];
      const returned = (await Promise.all(results.map((one) => one.cpu()))) as readonly HostTensor[];
      errors[key] = Math.max(errors[key], errorOf(returned, wanted));
      for (const result of results) result.dispose();
    }
    subjects.set(key, { model, inputs });
  }
}
console.log(JSON.stringify(errors));
for await (const line of createInterface({ input: process.stdin })) console.log(await measured(subjects.get(line)!));
process.exit(0);
