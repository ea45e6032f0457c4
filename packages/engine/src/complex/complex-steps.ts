import { type Call, isTensor, type LoweredTensor, type TensorMeta } from "@pt2/registry";
import { substitute, type TypedExpr } from "@pt2/registry/scalar";
import { operandsOf, type Step } from "../fuse.ts";
import { partDtype } from "../plan/complex-parts.ts";
import type { ComplexExpr } from "./element-expr.ts";

/** A loop that computes complex numbers, part by part. */
export interface ComplexStep {
  readonly kind: "complex";
  /** Operands by the index that `expr` uses. */
  readonly inputs: readonly LoweredTensor[];
  readonly output: LoweredTensor;
  readonly expr: ComplexExpr;
  readonly calls: readonly Call[];
}

interface Part {
  readonly inputs: readonly LoweredTensor[];
  readonly expr: TypedExpr;
  readonly calls: readonly Call[];
  /** Steps that are computed in this loop alone. */
  readonly absorbed: readonly Step[];
}

/**
 * Replaces loops whose results only become the real or imaginary parts of complex numbers by a loop that computes those
 * numbers: what a complex op decomposes into is one step again.
 */
export function joinComplexParts(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly (Step | ComplexStep)[] {
  const maker = new Map<LoweredTensor, Step>();
  const readers = new Map<LoweredTensor, number>();
  const absorbed = new Set<Step>();
  for (const step of steps) {
    for (const tensor of readBy(step)) readers.set(tensor, (readers.get(tensor) ?? 0) + 1);
    if (step.kind === "elementwise") maker.set(step.group.output, step);
  }
  const isOwn = (tensor: LoweredTensor): boolean => readers.get(tensor) === 1 && !live.has(tensor);
  const partOf = (operand: TensorMeta): Part => {
    if (!isTensor(operand)) return { inputs: [], expr: numberOf(operand), calls: [], absorbed: [] };
    const loop = maker.get(operand);
    if (loop?.kind !== "elementwise" || !isOwn(operand)) {
      return { inputs: [operand], expr: inputOf(0, operand), calls: [], absorbed: [] };
    }
    const { inputs, expr, calls } = loop.group;
    return { inputs, expr, calls, absorbed: [loop] };
  };
  const joined = steps.map((step): Step | ComplexStep => {
    if (step.kind !== "call" || step.call.record.complexParts === undefined) return step;
    const { args, record, results } = step.call;
    const output = results[0] as LoweredTensor;
    const dtype = output.dtype as ComplexExpr["dtype"];
    const parts = record.complexParts!.map((name) => partOf(args[name] as TensorMeta));
    const inputs = [...new Set(parts.flatMap((part) => part.inputs))];
    if (inputs.length > maxInputs) return step;
    for (const other of parts.flatMap((part) => part.absorbed)) absorbed.add(other);
    const [re, im] = parts.map((part) => {
      const moved = substitute(part.expr, (i) => inputOf(inputs.indexOf(part.inputs[i]!), part.inputs[i]!));
      return asPart(moved, dtype);
    });
    const calls = [...parts.flatMap((part) => part.calls), step.call];
    return { kind: "complex", inputs, output, expr: { dtype, parts: [re!, im!] }, calls };
  });
  return joined.filter((step) => !absorbed.has(step as Step));
}

/** Makes the expression of an operand, by its index among those of a loop. */
export function inputOf(index: number, { dtype }: LoweredTensor): TypedExpr {
  return { kind: "input", index, dtype };
}

/** Returns the tensors that a step reads. */
export function readBy(step: Step | ComplexStep): readonly LoweredTensor[] {
  if (step.kind === "complex") return step.inputs;
  if (step.kind === "call") return operandsOf(step.call);
  return step.kind === "elementwise" ? step.group.inputs : [...operandsOf(step.call), ...step.group.inputs];
}

/** Makes the constant of a number that the program gives for a tensor. */
function numberOf({ wrapped }: TensorMeta): TypedExpr {
  const value = typeof wrapped === "object" && "float" in wrapped ? wrapped.float : Number(wrapped);
  return { kind: "const", dtype: "float64", value };
}

function asPart(expr: TypedExpr, dtype: ComplexExpr["dtype"]): TypedExpr {
  const wanted = partDtype(dtype);
  if (expr.dtype === wanted) return expr;
  return expr.kind === "const" ? { ...expr, dtype: wanted } : { kind: "cast", dtype: wanted, x: expr };
}
