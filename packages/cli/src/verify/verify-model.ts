import { type Comparison, compareTensors, mismatch, typeText } from "@pt2/backend";
import type { DType, Tensors } from "@pt2/format";
import type { Model, Value } from "@pt2/runtime";
import { toHostTensor } from "../report/host-tensor.ts";
import type { Scalar } from "../tensors/sidecar.ts";
import { tolerated } from "./computed-in.ts";
import type { ExpectedCall } from "./expected-calls.ts";
import { type Rounding, roundingOf } from "./rounding.ts";
import { type OutputPair, tiedRows } from "./tied-rows.ts";
import { forOutput, type ToleranceOf } from "./tolerance.ts";

/** A request to compare calls with expected results. */
export interface VerifyRequest {
  readonly calls: readonly ExpectedCall[];
  readonly tolerance: ToleranceOf;
  /** What values of the program are computed in, by name. @default what they are */
  readonly computedIn?: ReadonlyMap<string, DType>;
}

/** The check of one output of one call. */
export interface OutputCheck {
  readonly call: number;
  /** The output's name in the expected file. */
  readonly key: string;
  readonly name: string;
  /** The expected type: `float32 [2, 3]`, or a value. */
  readonly type: string;
  /** The dtype that it is computed in and has the tolerance of, if that is less precise than its own. */
  readonly computedIn?: DType;
  readonly comparison: Comparison;
  /**
   * The name of an output with ties, if the rows of this one differ from the expected ones only in the order of those;
   * `comparison` says where they do.
   */
  readonly tiesOf?: string;
  /** Set if the difference looks like rounding. */
  readonly rounding?: Rounding;
}

/** Whether an output is as expected, but for the order of ties. */
export function passes({ comparison, tiesOf }: OutputCheck): boolean {
  return comparison.ok || tiesOf !== undefined;
}

/** Result of a verification. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly calls: number;
  readonly checks: readonly OutputCheck[];
  /** The names of outputs without an expected result in any call. */
  readonly unchecked: readonly string[];
  /** The largest error, relative to the tolerance; outputs with ties in another order do not count. */
  readonly ratio: number;
  /** Milliseconds of each call. */
  readonly runMs: readonly number[];
}

/** Runs calls in order, and compares the results with the expected ones. */
export async function verifyModel(model: Model, request: VerifyRequest): Promise<VerifyReport> {
  const checks: OutputCheck[] = [];
  const runMs: number[] = [];
  const { calls } = request;
  for (const [at, { call, tensors, scalars }] of calls.entries()) {
    const begin = performance.now();
    const outputs = await model.runFlat(model.leavesOf(call));
    runMs.push(performance.now() - begin);
    checks.push(...(await checkTensors(model, at, tensors, outputs, request)));
    checks.push(...checkScalars(model, at, scalars, outputs));
  }
  const checked = new Set(checks.map(({ name }) => name));
  const unchecked = model.outputs.filter(({ name, type }) => type.kind !== "constant" && !checked.has(name));
  return {
    ok: checks.length > 0 && checks.every(passes),
    calls: calls.length,
    checks,
    unchecked: unchecked.map(({ name }) => name),
    ratio: Math.max(0, ...checks.map(({ comparison, tiesOf }) => (tiesOf === undefined ? comparison.ratio : 0))),
    runMs,
  };
}

async function checkTensors(
  { outputs: infos }: Model,
  call: number,
  expected: Tensors,
  outputs: readonly Value[],
  { tolerance, computedIn }: VerifyRequest,
): Promise<readonly OutputCheck[]> {
  const checks: OutputCheck[] = [];
  const pairs: OutputPair[] = [];
  for (const [key, data] of expected) {
    const at = /^\d+$/.test(key)
      ? Number(key)
      : infos.findIndex(({ name }) => name === key || name === `output.${key}`);
    const output = outputs[at];
    const wanted = toHostTensor(data);
    const name = infos[at]?.name ?? key;
    const computed = tolerated(data.dtype, computedIn?.get(infos[at]?.value ?? ""));
    let rounding: Rounding | undefined;
    let comparison = mismatch(
      output === undefined ? "the program has no such output" : `${output} instead of a tensor`,
    );
    if (typeof output === "object" && output !== null) {
      const actual = { dtype: output.dtype, shape: output.shape, data: await output.read() };
      const allowed = forOutput(tolerance, wanted, computed);
      comparison = compareTensors(wanted, actual, allowed);
      rounding = roundingOf(wanted, allowed, comparison);
      if (comparison.problem === undefined) pairs.push({ name, expected: wanted, actual, computed });
    }
    const lessPrecise = computed === data.dtype ? {} : { computedIn: computed };
    checks.push({ call, key, name, type: typeText(wanted), ...lessPrecise, comparison, ...(rounding && { rounding }) });
  }
  const ties = tiedRows(pairs, tolerance);
  return checks.map((check) => {
    const tiesOf = ties.get(check.name);
    return tiesOf === undefined ? check : { ...check, tiesOf };
  });
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
