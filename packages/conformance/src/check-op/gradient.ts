import { type Backend, CpuGenerator, type HostTensor, hostTensor } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import {
  type ArgValue,
  builderOf,
  Emitter,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
} from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import { inferred, interpreted, metaCall, metasText, nodeOf } from "./expected.ts";
import { type FoundFault, messageOf } from "./fault.ts";
import { type GradientOp, isDifferentiable, type OperandGradient } from "./gradient-op.ts";
import { type OpSample, sampleText, tensorsOf, withTensors } from "./op-sample.ts";
import { runMany } from "./run-op.ts";
import type { Variant } from "./variants.ts";

/** How far operands are moved in both directions, and how many directions each is moved in. */
const STEP = 1e-6;
const DIRECTIONS = 2;
/** The tolerances of `torch.autograd.gradcheck`. */
const TOLERANCE = { rtol: 1e-3, atol: 1e-5 };

/** What {@link GradientCheck} needs to know. */
export interface GradientSetup {
  readonly record: OpRecord;
  readonly gradient: GradientOp;
  /** A registry that has the op and the ops of its gradient. */
  readonly registry: OpRegistry;
  readonly backends: readonly Backend[];
}

/** Computes the tensors that an op returns for several samples which differ in their elements. */
type Evaluate = (record: OpRecord, samples: readonly OpSample[]) => Promise<readonly (readonly HostTensor[])[]>;

/** Compares the gradients of an op with central differences of the op itself, in float64. */
export class GradientCheck {
  readonly faults: FoundFault[] = [];
  readonly unchecked: Set<string> = new Set();
  directions = 0;
  readonly #setup: GradientSetup;
  readonly #generator = new CpuGenerator(7);

  constructor(setup: GradientSetup) {
    this.#setup = setup;
  }

  /** Checks one call, whose floats are float64. */
  async run(variant: Variant): Promise<void> {
    const { record, registry, gradient, backends } = this.#setup;
    // Kinks and ties would have no derivative: elements are moved off them.
    const sample = withTensors(variant.sample, (tensor) => changed(tensor, (x) => off(x, this.#generator.uniform())));
    const call = metaCall(record, sample);
    const promised = await inferred(record, registry, call).catch((error: unknown) => {
      if (variant.required) this.unchecked.add(`the gradient: the op refuses float64, ${messageOf(error)}`);
      return null;
    });
    const results = promised?.flat().filter(isTensorMeta) ?? [];
    if (!results.some(isDifferentiable)) return;
    const weights = results.map(({ dtype, shape }) =>
      changed(hostTensor("float64", shape, new Float64Array(shape.reduce((n, size) => n * size, 1))), () =>
        dtype === "float64" ? this.#generator.uniform() - 0.5 : 0,
      ),
    );
    const grads = weights.filter((_, i) => isDifferentiable(results[i]!));
    const withGrads: OpSample = { ...sample, [gradient.grads]: grads };
    const operands = await this.#operands({ ...variant, sample }, withGrads);
    if (operands === null) return;
    const capable = backends.filter(
      ({ capabilities: { dtypes, narrowed } }) => dtypes.includes("float64") && narrowed?.float64 === undefined,
    );
    const layout = { layout: variant.layout };
    for (const backend of capable) {
      const evaluate: Evaluate = async (op, samples) => {
        const types = await inferred(op, registry, metaCall(op, samples[0]!));
        return await runMany(
          backend,
          { record: op, registry, sample: samples[0]!, results: types, ...layout },
          samples,
        );
      };
      await this.#compare(variant, evaluate, { sample, withGrads, weights, operands }, backend.name);
    }
    if (capable.length > 0) return;
    const evaluate: Evaluate = async (op, samples) => {
      const lowered = await interpreted(op, registry, samples[0]!);
      if (lowered === null) return [];
      return samples.map((each) => (lowered.compute(each) ? lowered.tensors() : []));
    };
    await this.#compare(variant, evaluate, { sample, withGrads, weights, operands }, undefined);
  }

  /** Calls the rule, and checks the types of what it returns; null if there is nothing to compare. */
  async #operands(variant: Variant, withGrads: OpSample): Promise<readonly OperandGradient[] | null> {
    const { record, registry, gradient } = this.#setup;
    const emitter = new Emitter(registry, { name: "inference", isNative: () => true });
    const { [gradient.grads]: grads, ...args } = metaCall(gradient.record, withGrads).args;
    let operands: readonly OperandGradient[];
    try {
      const builder = builderOf((op, given) => emitter.emit(op, given, nodeOf(record)));
      operands = await loading(() => {
        emitter.calls.length = 0;
        return gradient.of(resolveArgs(record.schema, args), grads as never, builder);
      });
    } catch (error) {
      const message = messageOf(error);
      if (error instanceof Pt2Error && error.code === "registry.scalar-gradient") {
        this.unchecked.add(`the gradient: ${message}`);
      } else {
        this.#add(
          variant,
          `the \`gradient\` rule fails for ${sampleText(variant.sample)}: ${message}`,
          "Correct the rule.",
        );
      }
      return null;
    }
    const wrong = operands.filter(
      ({ operand, gradient: made }) => made !== null && metasText([geometry(made)]) !== metasText([geometry(operand)]),
    );
    for (const { name, operand, gradient: made } of wrong) {
      this.#add(
        variant,
        `the gradient of \`${name}\` is ${metasText([geometry(made!)])}, and \`${name}\` is ${metasText([geometry(operand)])}`,
        "Sum the gradient over the dimensions that broadcasting added or enlarged: aten::sum.dim_IntList, aten::view.",
      );
    }
    return wrong.length > 0 ? null : operands;
  }

  async #compare(
    variant: Variant,
    evaluate: Evaluate,
    { sample, withGrads, weights, operands }: Compared,
    backend: string | undefined,
  ): Promise<void> {
    const { record, gradient } = this.#setup;
    const moves = operands.flatMap(({ name }, at) =>
      Array.from({ length: DIRECTIONS }, () => {
        const direction = changed(differentiable(sample)[at]!, () => this.#generator.uniform() - 0.5);
        return { name, at, direction };
      }),
    );
    if (moves.length === 0) return;
    const around = moves.flatMap(({ at, direction }) => [
      moved(sample, at, direction, STEP),
      moved(sample, at, direction, -STEP),
    ]);
    const points = await evaluate(record, around).catch((error: unknown) => {
      // What runs nowhere is refused, which other checks compare; here it only cannot be differentiated.
      if (variant.required) this.unchecked.add(`the gradient on ${backend ?? "the interpreter"}: ${messageOf(error)}`);
      return null;
    });
    if (points === null) return;
    try {
      const made = operands.some((operand) => operand.gradient !== null)
        ? await evaluate(gradient.record, [withGrads])
        : [[]];
      if (made.length === 0 || points.length === 0) {
        this.unchecked.add("the gradient: no backend has float64, and the reference interpreter cannot run the op");
        return;
      }
      const gradients = operands.map(({ gradient: given }) => given !== null);
      for (const [i, { name, at, direction }] of moves.entries()) {
        const loss = (point: number): number => weights.reduce((sum, w, k) => sum + dot(w, points[point]![k]!), 0);
        const difference = (loss(2 * i) - loss(2 * i + 1)) / (2 * STEP);
        // The op has no derivative here.
        if (!Number.isFinite(difference)) continue;
        this.directions++;
        const given = gradients[at] ? made[0]![gradients.slice(0, at).filter(Boolean).length]! : null;
        const slope = given === null ? 0 : dot(given, direction);
        if (Math.abs(slope - difference) <= TOLERANCE.atol + TOLERANCE.rtol * Math.abs(difference)) continue;
        const text = `${sampleText(sample)}${backend === undefined ? "" : ` on ${backend}`}`;
        const [by, rule] = [difference.toPrecision(6), slope.toPrecision(6)];
        this.#add(
          variant,
          given === null
            ? `no gradient flows to \`${name}\`, and the results of ${text} depend on it: ${by} along a direction`
            : `the gradient of \`${name}\` for ${text} is ${rule} along a direction, and differences of results are ${by}`,
          `Correct the gradient of \`${name}\` in the \`gradient\` rule.`,
          backend,
        );
      }
    } catch (error) {
      this.#add(
        variant,
        `the gradient of ${sampleText(sample)} fails: ${messageOf(error)}`,
        "Correct the rule.",
        backend,
      );
    }
  }

  #add({ name }: Variant, what: string, advice: string, backend?: string): void {
    this.faults.push({ kind: "gradient", what, advice, sample: name, backend });
  }
}

/** A call with everything that its gradients are compared with. */
interface Compared {
  readonly sample: OpSample;
  readonly withGrads: OpSample;
  readonly weights: readonly HostTensor[];
  readonly operands: readonly OperandGradient[];
}

function geometry({ dtype, shape }: OperandGradient["operand"]): ArgValue {
  return { dtype, shape };
}

/** The tensors of a sample that gradients flow to. */
function differentiable(sample: OpSample): readonly HostTensor[] {
  return tensorsOf(sample).filter(isDifferentiable);
}

/** The sample with one of its differentiable tensors moved. */
function moved(sample: OpSample, at: number, direction: HostTensor, by: number): OpSample {
  const target = differentiable(sample)[at];
  return withTensors(sample, (tensor) =>
    tensor === target ? changed(tensor, (x, i) => x + by * Number(direction.data[i])) : tensor,
  );
}

/** A tensor of float64 with other elements; another dtype stays. */
function changed(tensor: HostTensor, change: (x: number, i: number) => number): HostTensor {
  if (tensor.dtype !== "float64") return tensor;
  return hostTensor("float64", tensor.shape, Float64Array.from(tensor.data as Float64Array, change));
}

/** An element beside `x`, which has the sign of `x`. */
function off(x: number, by: number): number {
  return x === 0 ? 0.01 * by : x * (1 + 0.02 * (by - 0.5));
}

function dot(a: HostTensor, b: HostTensor): number {
  if (a.dtype !== "float64" || b.dtype !== "float64") return 0;
  return (a.data as Float64Array).reduce((sum, x, i) => sum + x * Number(b.data[i]), 0);
}
