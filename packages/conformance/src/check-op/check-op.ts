import { requireOptions } from "@pt2/format/options";
import type { CallArgs, OpRecord, OpRegistry, OpSet, TypedOp } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { registryOf } from "../programs.ts";
import { CallCheck } from "./check-call.ts";
import type { CheckOpOptions } from "./check-op-options.ts";
import { type FoundFault, faultsError, joined } from "./fault.ts";
import { GradientCheck, type GradientSetup } from "./gradient.ts";
import { type GradientOp, gradientOp } from "./gradient-op.ts";
import { type OpSample, onHost, sampleProblem } from "./op-sample.ts";
import { schemaFaults } from "./schema-faults.ts";
import { inFloat64, variantsOf } from "./variants.ts";

/** What a check without faults has done. */
export interface OpReport {
  /** The calls that had the expected results, those that were refused everywhere, and the directions of gradients. */
  readonly calls: number;
  readonly refused: number;
  readonly directions: number;
  /** What could not be checked, with reasons. */
  readonly unchecked: readonly string[];
}

const OPTIONS: Readonly<Record<keyof CheckOpOptions, string>> = {
  backends: "array",
  ops: "array",
  dtypes: "array",
  reference: "function",
  tolerance: "object",
};

/**
 * Checks an op that a user defines: its schema and samples, inferred results, values on every backend, strided, empty
 * and 0-d arguments, dtypes, writes and shared memory, repeated runs, and gradients. Rejects with one `conformance.op`
 * error that lists every fault; its `details.faults` are {@link OpFault}s. It needs no test runner. Samples have the types
 * of the schema, with tensors of `@pt2/backend`: a misspelled argument does not compile.
 */
export async function checkOp<const S extends string>(
  op: OpRecord & TypedOp<S>,
  samples: readonly CallArgs<S>[],
  options: CheckOpOptions,
): Promise<OpReport> {
  requireOptions("checkOp()", options, OPTIONS, "conformance.options", "backends");
  const { backends } = options;
  const faults: FoundFault[] = [...schemaFaults(op)];
  const given = await Promise.all((samples as readonly OpSample[]).map(onHost));
  if (samples.length === 0) {
    faults.push({ kind: "sample", what: "no sample was given", advice: "Give the arguments of at least one call." });
  }
  if (backends.length === 0) {
    faults.push({ kind: "sample", what: "no backend was given", advice: "Give one at least: `backends: [wasm()]`." });
  }
  const fitting = given.flatMap((sample, i) => {
    const problem = sampleProblem(op, sample);
    if (problem === null) return [{ sample, i }];
    const what = `sample ${i} ${problem}`;
    faults.push({ kind: "sample", what, advice: "Correct the sample, or the schema.", sample: `sample ${i}` });
    return [];
  });
  // What a damaged definition computes would only repeat its faults.
  if (faults.some(({ kind }) => kind === "schema")) throw faultsError(op.name, joined(faults));
  const gradient = gradientOp(op);
  const registry = registryFor(op, options.ops, gradient);
  await registry.load("all");
  const writes = registry.effectsOf(op.name)!.mutates.length > 0;
  const check = new CallCheck(op, registry, options);
  for (const { sample, i } of fitting) {
    for (const variant of variantsOf(sample, i, options.dtypes)) {
      // PyTorch refuses to write to a tensor whose elements share memory.
      if (!(writes && variant.layout?.name === "expanded")) await check.run(variant);
    }
  }
  faults.push(...check.faults);
  const { found, directions, unchecked } = await gradientFaults(op, fitting, { gradient, registry, backends });
  faults.push(...found);
  if (faults.length > 0) throw faultsError(op.name, joined(faults));
  return { calls: check.calls, refused: check.refused, directions, unchecked: [...check.unchecked, ...unchecked] };
}

/** Checks the gradients of samples that fit the schema, unless the op has none. */
async function gradientFaults(
  record: OpRecord,
  samples: readonly { readonly sample: OpSample; readonly i: number }[],
  { gradient, ...rest }: Omit<GradientSetup, "record" | "gradient"> & { readonly gradient: GradientOp | null },
): Promise<{
  readonly found: readonly FoundFault[];
  readonly directions: number;
  readonly unchecked: Iterable<string>;
}> {
  const writes = rest.registry.effectsOf(record.name)!.mutates.length > 0;
  if (gradient === null || record.impure === true || writes) {
    const why = gradient === null ? "the op has no `gradient` rule" : "the op writes, or is impure";
    return { found: [], directions: 0, unchecked: [`the gradient: ${why}`] };
  }
  const check = new GradientCheck({ record, gradient, ...rest });
  for (const { sample, i } of samples) {
    const wide = inFloat64(sample);
    // The elements of an expanded tensor are moved one by one, so that it would not be expanded any more.
    const variants = wide === null ? [] : variantsOf(wide, i, []).filter(({ layout }) => layout?.name !== "expanded");
    for (const variant of variants) await check.run(variant);
  }
  return { found: check.faults, directions: check.directions, unchecked: check.unchecked };
}

/** Returns a registry that has the op, also if no op set was given for it. */
function registryFor(op: OpRecord, sets: readonly OpSet[] = [], gradient: GradientOp | null = null): OpRegistry {
  const known = [aten, ...sets].some(
    ({ ops, parts = [] }) => ops.some(({ name }) => name === op.name) || parts.some((part) => part.ops.test(op.name)),
  );
  const own = known ? [] : [op];
  const derived = gradient === null ? [] : [gradient.record];
  return registryOf([], [...sets, { name: "check_op", ops: [...own, ...derived] }]);
}
