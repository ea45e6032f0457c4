// Measures the latency of whole models: the wasm backend against ONNX Runtime Web, in one process.

import { join } from "node:path";
import { worstError } from "@pt2/testing/worst-error";
import { countFlops } from "./flops.ts";
import { alternate, type Effort, type Summary, summarize } from "./statistics.ts";
import { compileHere, onnxSubject, wasmSubject } from "./subjects.ts";
import { ALLOWED, readTensors } from "./tensors.ts";

/** The result of one model and one form of its program. */
export interface ModelResult {
  readonly name: string;
  readonly ours: Summary;
  readonly theirs: Summary;
  /** The median of the ratios of the rounds: ours to theirs. */
  readonly ratio: Summary;
  readonly gflop: number;
  /** The worst error against PyTorch as a fraction of the tolerance. */
  readonly errors: { readonly ours: number; readonly theirs: number };
}

/**
 * Compares one program with the ONNX model of `base`, both on `threads` threads. Refuses to time results that are not
 * PyTorch's.
 */
export async function compareModel(
  folder: string,
  name: string,
  base: string,
  threads: number,
  effort: Effort,
): Promise<ModelResult> {
  const path = join(folder, name);
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const expected = await readTensors(`${path}.expected.safetensors`);
  const { program, executable } = await compileHere(`${path}.pt2`, threads);
  const subjects = {
    ours: wasmSubject(executable, inputs),
    theirs: await onnxSubject(join(folder, `${base}.onnx`), inputs, threads),
  };
  const errors = { ours: 0, theirs: 0 };
  for (const who of ["ours", "theirs"] as const) {
    const outputs = await subjects[who].run();
    errors[who] = Math.max(...expected.map(({ data }, i) => worstError(outputs[i] ?? [], data, ALLOWED)));
    if (!(errors[who] <= 1)) throw new Error(`${name}: ${who} differ from PyTorch, ${errors[who]} of the tolerance`);
  }
  const times = await alternate({ ours: subjects.ours.run, theirs: subjects.theirs.run }, effort);
  await Promise.all([subjects.ours.release(), subjects.theirs.release()]);
  return {
    name,
    ours: summarize(times.ours),
    theirs: summarize(times.theirs),
    ratio: summarize(times.ours.map((ms, i) => ms / times.theirs[i]!)),
    gflop: countFlops(program) / 1e9,
    errors,
  };
}
