import { type Backend, HostTensor } from "@pt2/backend";
import { type DType, Pt2Error } from "@pt2/format";
import { type ArgValue, isTensorMeta, type OpRecord, type OpRegistry, type TensorMeta } from "@pt2/registry";
import { compareTensor, type Tolerance, toleranceOf } from "../compare.ts";
import { allFit } from "../ops/narrowed.ts";
import type { CheckOpOptions } from "./check-op-options.ts";
import { effectFaults } from "./effects.ts";
import { inferred, interpreted, metaCall, metasText, type ReferenceRun } from "./expected.ts";
import { type FoundFault, messageOf, type OpFaultKind } from "./fault.ts";
import { memoryFaults } from "./memory.ts";
import { sampleText, tensorsOf } from "./op-sample.ts";
import { type Outcome, type OutputValue, runOp } from "./run-op.ts";
import type { Variant } from "./variants.ts";

/** The codes of errors that blame a rule, not its arguments. */
const MISTAKES: readonly string[] = ["registry.rule", "registry.result", "registry.internal", "registry.unknown-op"];

/** The values that a call should have, and where they come from. */
interface Expectation {
  readonly values: readonly OutputValue[];
  readonly source: string;
}

/** Checks calls of one op, and collects what it finds. */
export class CallCheck {
  readonly faults: FoundFault[] = [];
  readonly unchecked: Set<string> = new Set();
  calls = 0;
  refused = 0;
  readonly #record: OpRecord;
  readonly #registry: OpRegistry;
  readonly #options: CheckOpOptions;

  constructor(record: OpRecord, registry: OpRegistry, options: CheckOpOptions) {
    // The registry's own record checks what the rules return.
    this.#record = registry.resolve(record.name) ?? record;
    this.#registry = registry;
    this.#options = options;
  }

  /** Checks one call on every backend. */
  async run(variant: Variant): Promise<void> {
    const promised = await this.#promised(variant);
    if (promised === null) return;
    const isSample = variant.required && variant.layout === undefined;
    if (isSample) await this.#effects(variant);
    const rules = await this.#byRules(variant, promised);
    if (rules === "faulty") return;
    const outcomes = await this.#onBackends(variant, promised);
    if (this.#refusals(variant, rules, outcomes)) return;
    const expected = this.#expected(variant, promised, rules instanceof Pt2Error ? null : rules, outcomes);
    for (const [backend, outcome] of outcomes) {
      if (outcome.kind !== "results") continue;
      const isRight = await this.#results(variant, promised, backend, outcome, expected);
      if (isRight && isSample && expected !== null) await this.#memory(variant, promised, backend, expected.values);
    }
    this.calls += outcomes.length;
  }

  #add(kind: OpFaultKind, variant: Variant, what: string, advice: string, backend?: Backend): void {
    this.faults.push({ kind, what, advice, sample: variant.name, backend: backend?.name });
  }

  /** Returns the results that the rules promise; null if the call ends there. */
  async #promised(variant: Variant): Promise<readonly ArgValue[] | null> {
    const { sample } = variant;
    const call = metaCall(this.#record, sample);
    try {
      return await inferred(this.#record, this.#registry, call);
    } catch (error) {
      const message = messageOf(error);
      if (!(error instanceof Pt2Error) || MISTAKES.includes(error.code)) {
        this.#add("infer", variant, `its rules fail for ${sampleText(sample)}: ${message}`, "Correct the rule.");
      } else if (variant.required) {
        this.#add(
          "refusal",
          variant,
          `its rules refuse ${sampleText(sample)}: ${message}`,
          "Correct `validate`, `requires` or `infer`, or leave the sample or the dtype out.",
        );
      } else {
        await this.#refusedAlike(variant, error);
      }
      return null;
    }
  }

  /** What the rules refuse must be refused by every backend, with a code. */
  async #refusedAlike(variant: Variant, reason: Pt2Error): Promise<void> {
    const results = this.#record.schema.returns.map((): TensorMeta => ({ dtype: "float32", shape: [] }));
    for (const [backend, outcome] of await this.#onBackends(variant, results)) {
      if (outcome.kind === "refused" && outcome.coded) continue;
      const what = outcome.kind === "refused" ? `fails without a code: ${messageOf(outcome.error)}` : "computes it";
      this.#add(
        "refusal",
        variant,
        `its rules refuse ${sampleText(variant.sample)} (${reason.what}), and ${backend.name} ${what}`,
        "Let the rules and the kernels refuse the same calls, with a `Pt2Error`.",
        backend,
      );
    }
    this.refused++;
  }

  async #effects(variant: Variant): Promise<void> {
    const call = metaCall(this.#record, variant.sample);
    for (const fault of await effectFaults(this.#record, this.#registry, call)) {
      this.#add(fault.kind, variant, fault.what, fault.advice);
    }
  }

  /** Looks at the memory of operands and results after the call. */
  async #memory(
    { name: sample, sample: given }: Variant,
    promised: readonly ArgValue[],
    backend: Backend,
    expected: readonly OutputValue[],
  ): Promise<void> {
    const call = { record: this.#record, registry: this.#registry, sample: given, results: promised };
    const tolerance = (dtype: DType): Tolerance => toleranceOf(dtype, this.#options.tolerance ?? {}, {});
    for (const { what, advice } of await memoryFaults(backend, call, expected, tolerance)) {
      this.faults.push({ kind: "effects", what, advice, sample, backend: backend.name });
    }
  }

  /** Runs the rules in the reference interpreter; returns their refusal, or null if it cannot run them. */
  async #byRules(variant: Variant, promised: readonly ArgValue[]): Promise<ReferenceRun | Pt2Error | null | "faulty"> {
    try {
      const run = await interpreted(this.#record, this.#registry, variant.sample);
      if (run === null || metasText(run.results) === metasText(promised)) return run;
      this.#add(
        "infer",
        variant,
        `\`infer\` promises ${metasText(promised)}, and \`decompose\` has ${metasText(run.results)}`,
        "Correct the shape or the dtype that `infer` returns, or drop `infer`: it follows from `decompose`.",
      );
      return "faulty";
    } catch (error) {
      if (error instanceof Pt2Error && !MISTAKES.includes(error.code)) return error;
      const what = `its rules fail for ${sampleText(variant.sample)}: ${messageOf(error)}`;
      this.#add("infer", variant, what, "Correct the rule.");
      return "faulty";
    }
  }

  /** Runs the call on the backends that have its dtypes. */
  async #onBackends(
    { sample, layout }: Variant,
    results: readonly ArgValue[],
  ): Promise<readonly (readonly [Backend, Outcome])[]> {
    const dtypes = new Set([...tensorsOf(sample), ...leaves(results).filter(isTensorMeta)].map(({ dtype }) => dtype));
    const outcomes: (readonly [Backend, Outcome])[] = [];
    const [record, registry] = [this.#record, this.#registry];
    for (const backend of this.#options.backends) {
      const lacking = [...dtypes].filter((dtype) => !backend.capabilities.dtypes.includes(dtype));
      if (lacking.length > 0) {
        this.unchecked.add(`${lacking.join(", ")}: ${backend.name} has no tensors of it`);
        continue;
      }
      outcomes.push([backend, await runOp(backend, { record, registry, sample, layout, results })]);
    }
    return outcomes;
  }

  /** Compares who refuses the call; returns whether that is all there is to say. */
  #refusals(
    variant: Variant,
    rules: ReferenceRun | Pt2Error | null,
    outcomes: readonly (readonly [Backend, Outcome])[],
  ): boolean {
    const text = sampleText(variant.sample);
    const computing = outcomes.flatMap(([backend, { kind }]) => (kind === "results" ? [backend.name] : []));
    const isComputed = computing.length > 0 || (rules !== null && !(rules instanceof Pt2Error));
    for (const [backend, outcome] of outcomes) {
      if (outcome.kind === "results" || (outcome.coded && !variant.required && !isComputed)) continue;
      const does = outcome.coded ? "refuses" : "fails without a code for";
      const others = computing.length > 0 ? computing.join(", ") : "the reference interpreter";
      this.#add(
        "refusal",
        variant,
        `${backend.name} ${does} ${text}${isComputed ? `, and ${others} computes it` : ""}: ${messageOf(outcome.error)}`,
        "Refuse it in `validate`, with words that say why, or give the op a rule or a kernel that every backend runs.",
        backend,
      );
    }
    if (rules instanceof Pt2Error && computing.length > 0) {
      this.#add(
        "refusal",
        variant,
        `its rules refuse ${text}, and ${computing.join(", ")} computes it: ${rules.what}`,
        "Refuse it in `validate`, or let `decompose` compute it too.",
      );
    }
    if (computing.length > 0 || outcomes.length === 0) return false;
    this.refused++;
    return true;
  }

  /** Returns the values that the call should have. */
  #expected(
    variant: Variant,
    promised: readonly ArgValue[],
    rules: ReferenceRun | null,
    outcomes: readonly (readonly [Backend, Outcome])[],
  ): Expectation | null {
    if (this.#record.impure === true) return null;
    const byAuthor = this.#byReference(variant, promised);
    if (byAuthor !== null) return { values: byAuthor, source: "the reference" };
    if (rules !== null) return { values: merged(rules.results, rules.tensors()), source: "the rules of its record" };
    for (const [backend, outcome] of outcomes) {
      if (outcome.kind === "results") return { values: outcome.values, source: backend.name };
    }
    return null;
  }

  /** Calls the author's reference. */
  #byReference(variant: Variant, promised: readonly ArgValue[]): readonly OutputValue[] | null {
    const { reference } = this.#options;
    if (reference === undefined) return null;
    let answer: readonly unknown[];
    try {
      answer = [reference(variant.sample)].flat();
    } catch (error) {
      const what = `the reference fails for ${sampleText(variant.sample)}: ${messageOf(error)}`;
      this.#add("sample", variant, what, "Let it compute this call, or refuse the call in `validate`.");
      return null;
    }
    const tensors = answer.filter((each) => each instanceof HostTensor);
    const types = tensors.map(({ dtype, shape }) => ({ dtype, shape }));
    if (metasText(types) !== metasText(leaves(promised).filter(isTensorMeta))) {
      const what = `its rules promise ${metasText(promised)} for ${sampleText(variant.sample)}, and the reference returns ${metasText(types)}`;
      const advice = "Correct `infer` or `promote` where the rules are wrong, else the reference.";
      this.#add("infer", variant, what, advice);
      return null;
    }
    return tensors;
  }

  async #results(
    variant: Variant,
    promised: readonly ArgValue[],
    backend: Backend,
    { values, runs }: Outcome & { readonly kind: "results" },
    expected: Expectation | null,
  ): Promise<boolean> {
    const found = this.faults.length;
    const metas = leaves(promised).filter((meta) => meta !== null);
    const text = sampleText(variant.sample);
    const isDynamic = this.#record.dynamic !== undefined;
    for (const [i, meta] of metas.entries()) {
      const value = values[i];
      if (!isTensorMeta(meta)) continue;
      if (!(value instanceof HostTensor) || (!isDynamic && !sameType(value, meta))) {
        const given = value instanceof HostTensor ? metasText([value]) : String(value);
        this.#add(
          "infer",
          variant,
          `its rules promise ${metasText([meta])} for result ${i} of ${text}, and ${backend.name} has ${given}`,
          "Correct the shape or the dtype that `infer` returns, or the kernel.",
          backend,
        );
        continue;
      }
      const wanted = expected?.values[i];
      if (!(wanted instanceof HostTensor) || wanted === value) continue;
      const { dtype, shape, data } = wanted;
      const { narrowed = {} } = backend.capabilities;
      if (narrowed[dtype] !== undefined && !allFit(dtype, data as Iterable<number | bigint>, narrowed)) {
        this.unchecked.add(`${dtype} results that ${backend.name}, which has ${narrowed[dtype]}, does not have`);
        continue;
      }
      const tolerance = toleranceOf(narrowed[dtype] ?? dtype, this.#options.tolerance ?? {}, {});
      const problem = await compareTensor(value, { dtype, shape, data }, tolerance);
      if (problem === null) continue;
      this.#add(
        "values",
        variant,
        `result ${i} of ${text} on ${backend.name} differs from ${expected!.source}: ${problem}`,
        `Correct the kernel for ${backend.name}, or the rules: both must compute the same, for any strides, sizes and dtypes.`,
        backend,
      );
    }
    if (runs.differs !== null && this.#record.impure !== true) {
      this.#add(
        "determinism",
        variant,
        `result ${runs.differs} of ${text} differs in a second run on ${backend.name}`,
        "Declare the op `impure: true`, or let the kernel write all of its results and nothing else.",
        backend,
      );
    }
    for (const at of runs.changed) {
      this.#add(
        "effects",
        variant,
        `${backend.name} changes operand ${at} of the caller for ${text}`,
        "Let the kernel write only its results; an op that writes declares `Tensor(a!)`.",
        backend,
      );
    }
    return this.faults.length === found;
  }
}

function sameType(value: HostTensor, { dtype, shape }: TensorMeta): boolean {
  return value.dtype === dtype && String(value.shape) === String(shape);
}

/** The results of a call, lists in place. */
function leaves(results: readonly ArgValue[]): readonly ArgValue[] {
  return results.flatMap((value) => (Array.isArray(value) ? leaves(value as readonly ArgValue[]) : [value]));
}

/** Results with their tensors; numbers stay. */
function merged(results: readonly ArgValue[], tensors: readonly HostTensor[]): readonly OutputValue[] {
  let next = 0;
  return leaves(results)
    .filter((value) => value !== null)
    .map((value) => (isTensorMeta(value) ? tensors[next++]! : (value as OutputValue)));
}
