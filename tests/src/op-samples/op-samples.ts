import { type Backend, HostTensor } from "@pt2/backend";
import { LibtorchBackend } from "@pt2/backend-libtorch/node";
import { type LoadOptions, load, Pt2Error } from "@pt2/runtime/node";
import { difference, type Leaf, type Tolerances } from "../difference.ts";
import { differentBits } from "./different-bits.ts";
import { readSamples, type Sample, type SampleValues } from "./sample-files.ts";

/** The outcome of a sample. `skipped`: PyTorch could not export it. */
export type Outcome = "passed" | "failed" | "unsupported" | "skipped";

/** The outcome of one sample, and its reason. */
export interface SampleResult {
  readonly outcome: Outcome;
  readonly why: string;
  /** How the sample was compared. */
  readonly compared?: Comparison;
}

type Comparison = "bits" | "tolerance" | "shapes";

/** The backend of samples, and how they are compared. */
export interface SampleRun {
  readonly backend: Backend;
  readonly precision?: LoadOptions["precision"] | undefined;
  /** Whether every byte must be PyTorch's, where PyTorch always gives the same one. @default false */
  readonly bits?: boolean | undefined;
  /** The tolerances. @default those of kernels other than PyTorch's */
  readonly tolerances?: Tolerances;
}

/** The seed of recorded random numbers. */
const SEED = 42;

/** Other kernels add in another order, and their errors grow with the length of sums and the condition of matrices. */
const TOLERANCES: Tolerances = {
  float64: { rtol: 1e-5, atol: 1e-6 },
  float32: { rtol: 1e-3, atol: 1e-4 },
  float16: { rtol: 1e-2, atol: 1e-2 },
  bfloat16: { rtol: 4e-2, atol: 4e-2 },
  complex64: { rtol: 1e-3, atol: 1e-4 },
  complex128: { rtol: 1e-5, atol: 1e-6 },
};

/** Tolerances for float64 held as float32. */
export const NARROWED: Tolerances = {
  ...TOLERANCES,
  float64: { rtol: 1e-3, atol: 1e-4 },
  complex128: { rtol: 1e-3, atol: 1e-4 },
};

/**
 * Tolerances for PyTorch's kernels on the machine of the recording: with other fusions and threads only the last digits
 * change.
 */
export const SAME_KERNELS: Tolerances = {
  float64: { rtol: 1e-10, atol: 1e-10 },
  float32: { rtol: 1e-5, atol: 1e-6 },
  float16: { rtol: 2e-3, atol: 1e-4 },
  bfloat16: { rtol: 1.6e-2, atol: 1e-3 },
  complex64: { rtol: 1e-5, atol: 1e-6 },
  complex128: { rtol: 1e-10, atol: 1e-10 },
};

/** Runs every sample of a name and compares it with PyTorch's results. */
export async function runSamples(folder: string, name: string, run: SampleRun): Promise<readonly SampleResult[]> {
  const results: SampleResult[] = [];
  for (const sample of await readSamples(folder, name)) {
    results.push(typeof sample === "string" ? { outcome: "skipped", why: sample } : await runSample(sample, run));
  }
  return results;
}

async function runSample(sample: Sample, run: SampleRun): Promise<SampleResult> {
  const { backend, precision, tolerances = TOLERANCES } = run;
  try {
    await using model = await load(sample.path, { backend, ...(precision && { precision }) });
    if (backend instanceof LibtorchBackend) backend.manualSeed(SEED);
    const compared = comparisonOf(sample.values, run);
    const actual = await model.runFlat(sample.inputs);
    const problems = sample.expected.flatMap((want, k) => {
      const given = actual[k] as Leaf;
      if (compared === "bits") return differentBits(given, want) ?? [];
      return difference(given, compared === "shapes" ? withValuesOf(given, want) : want, tolerances) ?? [];
    });
    return { outcome: problems.length === 0 ? "passed" : "failed", why: problems[0] ?? "", compared };
  } catch (problem) {
    const unsupported = problem instanceof Pt2Error && /unsupported|int64-range/.test(problem.code);
    return { outcome: unsupported ? "unsupported" : "failed", why: (problem as Error).message };
  }
}

/**
 * Chooses the comparison. Only libtorch has PyTorch's generator, and its bits are to be expected only on the machine of
 * the recording.
 */
function comparisonOf(values: SampleValues, { backend, bits = false }: SampleRun): Comparison {
  if (values === "none" || (values === "seeded" && !(backend instanceof LibtorchBackend))) return "shapes";
  return bits && values !== "close" ? "bits" : "tolerance";
}

/** Returns what is expected where only dtype and shape count. */
function withValuesOf(given: Leaf, want: Leaf): Leaf {
  const tensors = typeof given === "object" && typeof want === "object" && given !== null && want !== null;
  return tensors && given.data.length === want.data.length ? new HostTensor(want.dtype, want.shape, given.bytes) : want;
}
