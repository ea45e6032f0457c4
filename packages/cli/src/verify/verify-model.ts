import { type Comparison, compareTensors, mismatch, typeText } from "@pt2/backend";
import type { Tensors } from "@pt2/format";
import type { Model, Value } from "@pt2/runtime";
import { toHostTensor } from "../report/host-tensor.ts";
import { type Leaves, readCalls } from "../tensors/calls.ts";
import { readSidecar, type Scalar } from "../tensors/sidecar.ts";
import { readTensorFile, splitCalls } from "../tensors/tensor-file.ts";
import type { ToleranceOf } from "./tolerance.ts";

/** What to compare with. */
export interface VerifyRequest {
  readonly inputs: string;
  readonly expected: string;
  readonly scalars?: readonly string[];
  readonly tolerance: ToleranceOf;
}

/** One output of one call. */
export interface OutputCheck {
  readonly call: number;
  /** As the expected file names it. */
  readonly key: string;
  readonly name: string;
  /** What the output should be: `float32 [2, 3]`, or a value. */
  readonly type: string;
  readonly comparison: Comparison;
}

/** Result of a verification. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly calls: number;
  readonly checks: readonly OutputCheck[];
  /** Largest error of all, as a part of what is allowed. */
  readonly ratio: number;
  /** Milliseconds of each call. */
  readonly runMs: readonly number[];
}

/** Makes every call of an inputs file, in order, and compares the results with the expected ones. */
export async function verifyModel(model: Model, request: VerifyRequest): Promise<VerifyReport> {
  const calls = await readCalls(request.inputs, model.inputs, request.scalars);
  const expected = splitCalls(await readTensorFile(request.expected));
  const notes = await readSidecar(request.inputs);
  const checks: OutputCheck[] = [];
  const runMs: number[] = [];
  for (const [call, leaves] of calls.entries()) {
    const begin = performance.now();
    const outputs = await model.runFlat(leaves as Leaves);
    runMs.push(performance.now() - begin);
    const wanted = expected[call] ?? new Map();
    checks.push(...(await checkTensors(model, call, wanted, outputs, request.tolerance)));
    checks.push(...checkScalars(model, call, notes[call]?.outputs ?? new Map(), outputs));
  }
  const ratio = Math.max(0, ...checks.map(({ comparison }) => comparison.ratio));
  return {
    ok: checks.length > 0 && checks.every(({ comparison }) => comparison.ok),
    calls: calls.length,
    checks,
    ratio,
    runMs,
  };
}

async function checkTensors(
  { outputs: infos }: Model,
  call: number,
  expected: Tensors,
  outputs: readonly Value[],
  tolerance: ToleranceOf,
): Promise<readonly OutputCheck[]> {
  const checks: OutputCheck[] = [];
  for (const [key, data] of expected) {
    const at = /^\d+$/.test(key) ? Number(key) : infos.findIndex(({ name }) => name === key);
    const output = outputs[at];
    const wanted = toHostTensor(data);
    const comparison =
      typeof output === "object" && output !== null
        ? compareTensors(wanted, { ...output, data: await output.read() }, tolerance(data.dtype))
        : mismatch(output === undefined ? "the program has no such output" : `${output} instead of a tensor`);
    checks.push({ call, key, name: infos[at]?.name ?? key, type: typeText(wanted), comparison });
  }
  return checks;
}

function checkScalars(
  { outputs: infos }: Model,
  call: number,
  expected: ReadonlyMap<string, Scalar>,
  outputs: readonly Value[],
): readonly OutputCheck[] {
  return [...expected].map(([key, wanted]) => {
    const output = outputs[Number(key)];
    const same = output === wanted || Object.is(output, wanted) || String(output) === String(wanted);
    const comparison: Comparison = same
      ? { ok: true, ratio: 0, maxAbs: 0, bad: 0, count: 1, worst: null }
      : mismatch(`${describe(output)} instead of ${wanted}`, 1);
    return { call, key, name: infos[Number(key)]?.name ?? key, type: String(wanted), comparison };
  });
}

function describe(output: Value | undefined): string {
  return typeof output === "object" && output !== null ? `a tensor ${typeText(output)}` : String(output);
}
