// Measures the latency of whole models: the wasm backend against ONNX Runtime Web.

import { join } from "node:path";
import { countFlops } from "./flops.ts";
import { alternateTimes, type Effort, type Summary, summarize, timed } from "./statistics.ts";
import { SubjectProcess, scriptCommand } from "./subject-process.ts";
import { compileHere, onnxSubject, openProgram, type Subject, wasmSubject } from "./subjects.ts";
import { readTensors, worstOf } from "./tensors.ts";

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

/** Which of the two runtimes. */
export type Who = "ours" | "theirs";

/** A program, and the ONNX model of `base` that it is compared with, both on this many threads. */
export interface Comparison {
  readonly folder: string;
  readonly name: string;
  readonly base: string;
  readonly threads: number;
}

/** Opens one of two subjects in this process, and compares its results with PyTorch's. */
export async function openSubject(
  who: Who,
  { folder, name, base, threads }: Comparison,
): Promise<{ readonly subject: Subject; readonly error: number }> {
  const path = join(folder, name);
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const expected = await readTensors(`${path}.expected.safetensors`);
  const subject =
    who === "ours"
      ? wasmSubject((await compileHere(`${path}.pt2`, threads)).executable, inputs)
      : await onnxSubject(join(folder, `${base}.onnx`), inputs, threads);
  const outputs = await subject.run();
  return { subject, error: worstOf(outputs, expected) };
}

/** A subject that tells what a run takes. */
interface TimedSubject {
  readonly error: number;
  time(): Promise<number>;
  close(): unknown;
}

/** Opens a subject: in this process, or, if it has threads that look for work after a run, in one of its own. */
async function openTimed(who: Who, comparison: Comparison): Promise<TimedSubject> {
  if (comparison.threads === 1) {
    const { subject, error } = await openSubject(who, comparison);
    return { error, time: timed(subject.run), close: () => subject.release() };
  }
  const { folder, name, base, threads } = comparison;
  const script = new URL("model-subject.ts", import.meta.url);
  const child = new SubjectProcess<number>(scriptCommand(script, [who, folder, name, base, String(threads)]));
  return { error: await child.ready, time: () => child.run(), close: () => child.close() };
}

/** Compares a program with an ONNX model. Refuses to time results that are not PyTorch's. */
export async function compareModel(comparison: Comparison, effort: Effort): Promise<ModelResult> {
  const { folder, name } = comparison;
  const [ours, theirs] = [await openTimed("ours", comparison), await openTimed("theirs", comparison)];
  try {
    const errors = { ours: ours.error, theirs: theirs.error };
    for (const who of ["ours", "theirs"] as const) {
      if (!(errors[who] <= 1)) throw new Error(`${name}: ${who} differ from PyTorch, ${errors[who]} of the tolerance`);
    }
    const times = await alternateTimes({ ours: () => ours.time(), theirs: () => theirs.time() }, effort);
    const { archive, program } = await openProgram(join(folder, `${name}.pt2`));
    await archive.close();
    return {
      name,
      ours: summarize(times.ours),
      theirs: summarize(times.theirs),
      ratio: summarize(times.ours.map((ms, i) => ms / times.theirs[i]!)),
      gflop: countFlops(program) / 1e9,
      errors,
    };
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}
