import { operandsOf, type Step } from "@pt2/backend";
import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { substitute, type TypedExpr } from "@pt2/registry/scalar";
import type { ComplexExpr } from "../wgsl/scalar.ts";
import { isPairing } from "./is-pairing.ts";

/** A loop that computes complex numbers, of which others computed the parts, and `cat` put them side by side. */
export interface PairStep {
  readonly kind: "pairs";
  /** Operands by the index that `expr` uses; those with one dimension more than the pairs have one element there. */
  readonly inputs: readonly LoweredTensor[];
  /** Real and imaginary parts in the last dimension. */
  readonly output: LoweredTensor;
  readonly expr: ComplexExpr;
  readonly calls: readonly Call[];
}

interface Part {
  readonly inputs: readonly LoweredTensor[];
  readonly expr: TypedExpr;
  readonly calls: readonly Call[];
  /** What is computed in the pair alone. */
  readonly absorbed: readonly Step[];
}

/**
 * Loops whose results only become the real or the imaginary parts of complex numbers compute these instead: what a
 * complex op decomposes into is one step again.
 */
export function joinPairs(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly (Step | PairStep)[] {
  const maker = new Map<LoweredTensor, Step>();
  const readers = new Map<LoweredTensor, number>();
  const absorbed = new Set<Step>();
  for (const step of steps) {
    for (const tensor of readBy(step)) readers.set(tensor, (readers.get(tensor) ?? 0) + 1);
    if (step.kind === "elementwise") maker.set(step.group.output, step);
    if (step.kind === "call") for (const result of step.call.results.flatMap(tensorsIn)) maker.set(result, step);
  }
  const isOwn = (tensor: LoweredTensor): boolean => readers.get(tensor) === 1 && !live.has(tensor);
  const partOf = (column: LoweredTensor): Part => {
    const view = maker.get(column);
    if (view?.kind !== "call" || view.call.record.name !== "aten::unsqueeze" || !isOwn(column)) return asItIs(column);
    const tensor = view.call.args["self"] as LoweredTensor;
    const loop = maker.get(tensor);
    if (loop?.kind !== "elementwise" || !isOwn(tensor)) return { ...asItIs(tensor), absorbed: [view] };
    const { inputs, expr, calls } = loop.group;
    return { inputs, expr, calls, absorbed: [view, loop] };
  };
  const paired = steps.map((step): Step | PairStep => {
    if (step.kind !== "call" || !isPairing(step.call)) return step;
    const [re, im] = (step.call.args["tensors"] as readonly [LoweredTensor, LoweredTensor]).map(partOf) as [Part, Part];
    const inputs = [...new Set([...re.inputs, ...im.inputs])];
    if (inputs.length > maxInputs) return step;
    for (const other of [...re.absorbed, ...im.absorbed]) absorbed.add(other);
    const moved = (part: Part): TypedExpr =>
      substitute(part.expr, (i) => inputOf(inputs.indexOf(part.inputs[i]!), part.inputs[i]!));
    return {
      kind: "pairs",
      inputs,
      output: step.call.results[0] as LoweredTensor,
      expr: { dtype: re.expr.dtype === "float32" ? "complex64" : "complex128", parts: [moved(re), moved(im)] },
      calls: [...re.calls, ...im.calls, step.call],
    };
  });
  return paired.filter((step) => !absorbed.has(step as Step));
}

function asItIs(tensor: LoweredTensor): Part {
  return { inputs: [tensor], expr: inputOf(0, tensor), calls: [], absorbed: [] };
}

/** An operand, by its place among those of a loop. */
export function inputOf(index: number, { dtype }: LoweredTensor): TypedExpr {
  return { kind: "input", index, dtype };
}

/** What a step reads. */
export function readBy(step: Step | PairStep): readonly LoweredTensor[] {
  if (step.kind === "pairs") return step.inputs;
  if (step.kind === "call") return operandsOf(step.call);
  return step.kind === "elementwise" ? step.group.inputs : [...operandsOf(step.call), ...step.group.inputs];
}
