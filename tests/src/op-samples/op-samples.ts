import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { viewAs } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes, readSafetensors, type TensorData } from "@pt2/format";
import { type HostTensor, load, Pt2Error, tensor } from "@pt2/runtime/node";
import { difference, type Leaf, type Tolerances } from "../difference.ts";

/** How a sample ended. `skipped`: PyTorch could not export it. */
export type Outcome = "passed" | "failed" | "unsupported" | "skipped";

/** The end of one sample, and why. */
export interface SampleResult {
  readonly outcome: Outcome;
  readonly why: string;
}

/** The samples of one op and dtype, as `scripts/python/opinfo.py` wrote them. */
export interface SampleIndex {
  readonly op: string;
  readonly dtype: string;
  readonly samples: readonly Sample[];
}

type Sample =
  | { readonly state: "skipped"; readonly why: string }
  | {
      readonly state: "exported";
      /** Only dtypes and shapes are compared. */
      readonly stochastic: boolean;
      readonly inputs: number;
      readonly outputs: readonly (number | boolean | string | null)[];
    };

const TOLERANCES: Tolerances = {
  float64: { rtol: 1e-5, atol: 1e-6 },
  float32: { rtol: 1e-3, atol: 1e-4 },
  float16: { rtol: 1e-2, atol: 1e-2 },
  bfloat16: { rtol: 4e-2, atol: 4e-2 },
  complex64: { rtol: 1e-3, atol: 1e-4 },
};

/** Names of what a folder holds: `add.float32`. */
export function sampleNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith(".json") ? file.slice(0, -".json".length) : []))
    .sort();
}

/** What is known of the samples of a name. */
export async function readSampleIndex(folder: string, name: string): Promise<SampleIndex> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as SampleIndex;
}

/** Runs every sample of a name on the embedded backend and compares it with what PyTorch gave. */
export async function runSamples(folder: string, name: string, index: SampleIndex): Promise<readonly SampleResult[]> {
  const bytes = new Uint8Array(await readFile(join(folder, `${name}.safetensors`)));
  const { tensors } = await readSafetensors(fromBytes(bytes));
  const results: SampleResult[] = [];
  for (const [at, sample] of index.samples.entries()) {
    if (sample.state === "skipped") {
      results.push({ outcome: "skipped", why: sample.why });
      continue;
    }
    const find = (key: string): HostTensor => toTensor(tensors.get(`${at}.${key}`)!);
    const expected = sample.outputs.map((value, k) => (value === "tensor" ? find(`out.${k}`) : fromJson(value)));
    const inputs = Array.from({ length: sample.inputs }, (_, k) => find(`in.${k}`));
    results.push(await runSample(join(folder, `${name}.${at}.pt2`), inputs, expected, sample.stochastic));
  }
  return results;
}

async function runSample(
  path: string,
  inputs: readonly HostTensor[],
  expected: readonly Leaf[],
  stochastic: boolean,
): Promise<SampleResult> {
  const backend = wasm({ worker: false });
  try {
    await using model = await load(path, { backend });
    const actual = await model.runFlat(inputs);
    const problems = expected.flatMap((want, k) => {
      const given = actual[k] as Leaf;
      return difference(given, stochastic ? withValuesOf(given, want) : want, TOLERANCES) ?? [];
    });
    return { outcome: problems.length === 0 ? "passed" : "failed", why: problems[0] ?? "" };
  } catch (problem) {
    const unsupported = problem instanceof Pt2Error && /unsupported/.test(problem.code);
    return { outcome: unsupported ? "unsupported" : "failed", why: (problem as Error).message };
  } finally {
    await backend.dispose();
  }
}

function toTensor({ dtype, shape, bytes }: TensorData): HostTensor {
  return tensor(dtype, shape, viewAs(dtype, bytes));
}

/** What is expected where only dtype and shape count. */
function withValuesOf(given: Leaf, want: Leaf): Leaf {
  const tensors = typeof given === "object" && typeof want === "object" && given !== null && want !== null;
  return tensors && given.data.length === want.data.length ? { ...want, data: given.data } : want;
}

function fromJson(value: number | boolean | string | null): Leaf {
  return typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value;
}
