import { sameShape } from "@pt2/format";
import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { substitute, type TypedExpr } from "@pt2/registry/scalar";
import type { Step } from "../fuse.ts";
import { type ComplexStep, inputOf, joinComplexParts, readBy } from "./complex-steps.ts";

/** Beyond this many calls the code of a loop costs more than the saved memory traffic. */
const MAX_CALLS = 24;

/** A real or imaginary part that a loop computes, and the call that takes it. */
interface ReadPart {
  readonly producer: ComplexStep;
  readonly part: 0 | 1;
  readonly taken: Step;
}

/**
 * Moves loops over complex numbers into the loop that reads their results, if only that loop reads them, part by part,
 * and both run over as many elements: chains of complex ops become one step.
 */
export function chainComplexSteps(
  fused: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly (Step | ComplexStep)[] {
  const steps = joinComplexParts(fused, live, maxInputs);
  const maker = new Map<LoweredTensor, Step | ComplexStep>();
  const readers = new Map<LoweredTensor, (Step | ComplexStep)[]>();
  for (const step of steps) {
    for (const made of madeBy(step)) maker.set(made, step);
    for (const read of new Set(readBy(step))) {
      const others = readers.get(read) ?? [];
      others.push(step);
      readers.set(read, others);
    }
  }
  const gone = new Set<Step | ComplexStep>();
  const replaced = new Map<Step | ComplexStep, Step | ComplexStep>();
  const readPart = (tensor: LoweredTensor): ReadPart | null => {
    const taken = maker.get(tensor);
    if (taken?.kind !== "call" || taken.call.record.complexPart === undefined) return null;
    const made = maker.get(readBy(taken)[0]!);
    if (made?.kind !== "complex") return null;
    return { producer: (replaced.get(made) ?? made) as ComplexStep, part: taken.call.record.complexPart, taken };
  };
  const isReadBy = (tensor: LoweredTensor, some: (step: Step | ComplexStep) => boolean): boolean =>
    !live.has(tensor) && (readers.get(tensor) ?? []).every(some);
  for (const step of steps) {
    const found = loopOf(step)?.inputs.flatMap((input) => readPart(input) ?? []) ?? [];
    for (const producer of new Set(found.map((each) => each.producer))) {
      const loop = loopOf(replaced.get(step) ?? step)!;
      const parts = new Map(loop.inputs.map((input) => [input, readPart(input)]));
      const own = (input: LoweredTensor): boolean => parts.get(input)?.producer === producer;
      const taken = new Set<Step | ComplexStep>(loop.inputs.filter(own).map((input) => parts.get(input)!.taken));
      const rest = loop.inputs.filter((input) => !own(input));
      const inputs = [...new Set([...rest, ...producer.inputs])];
      const fits = inputs.length <= maxInputs && producer.calls.length + loop.calls.length <= MAX_CALLS;
      if (!fits || !sameShape(producer.output.shape, loop.shape)) continue;
      if (!isReadBy(producer.output, (reader) => taken.has(reader))) continue;
      if (!loop.inputs.filter(own).every((input) => isReadBy(input, (reader) => reader === step))) continue;
      const at = (input: LoweredTensor): TypedExpr => inputOf(inputs.indexOf(input), input);
      const moved = producer.expr.parts.map((part) => substitute(part, (i) => at(producer.inputs[i]!)));
      const chained = (expr: TypedExpr): TypedExpr =>
        substitute(expr, (i) => {
          const input = loop.inputs[i]!;
          return own(input) ? moved[parts.get(input)!.part]! : at(input);
        });
      replaced.set(step, loop.with(inputs, [...producer.calls, ...loop.calls], chained));
      for (const other of [...taken, maker.get(producer.output)!]) gone.add(other);
    }
  }
  return steps.filter((step) => !gone.has(step)).map((step) => replaced.get(step) ?? step);
}

/** A loop over elements, real or complex. */
interface Loop {
  readonly shape: readonly number[];
  readonly inputs: readonly LoweredTensor[];
  readonly calls: readonly Call[];
  /** Returns the same loop with other operands, given how its expressions change. */
  with(
    inputs: readonly LoweredTensor[],
    calls: readonly Call[],
    change: (expr: TypedExpr) => TypedExpr,
  ): Step | ComplexStep;
}

function loopOf(step: Step | ComplexStep): Loop | null {
  if (step.kind === "complex") {
    const { expr, output } = step;
    const [re, im] = expr.parts;
    return {
      ...step,
      shape: output.shape,
      with: (inputs, calls, change) => ({ ...step, inputs, calls, expr: { ...expr, parts: [change(re), change(im)] } }),
    };
  }
  if (step.kind !== "elementwise") return null;
  const { group } = step;
  return {
    ...group,
    with: (inputs, calls, change) => ({ ...step, group: { ...group, inputs, calls, expr: change(group.expr) } }),
  };
}

function madeBy(step: Step | ComplexStep): readonly LoweredTensor[] {
  if (step.kind === "complex") return [step.output];
  return step.kind === "call" ? step.call.results.flatMap(tensorsIn) : [step.group.output];
}
