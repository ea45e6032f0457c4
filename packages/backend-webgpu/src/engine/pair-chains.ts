import type { Step } from "@pt2/engine";
import { sameShape } from "@pt2/format";
import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { substitute, type TypedExpr } from "@pt2/registry/scalar";
import { inputOf, joinPairs, type PairStep, readBy } from "./pairs.ts";

/** Beyond this many calls the code of a loop costs more than the saved memory traffic. */
const MAX_CALLS = 24;

/** A real or imaginary part that a loop computes, and the call that takes it. */
interface ReadPart {
  readonly pairs: PairStep;
  readonly part: 0 | 1;
  readonly taken: Step;
}

/**
 * Moves loops over complex numbers into the loop that reads their results, if only that loop reads them, part by part,
 * and both run over as many elements: chains of complex ops become one step.
 */
export function chainPairs(
  fused: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly (Step | PairStep)[] {
  const steps = joinPairs(fused, live, maxInputs);
  const maker = new Map<LoweredTensor, Step | PairStep>();
  const readers = new Map<LoweredTensor, (Step | PairStep)[]>();
  for (const step of steps) {
    for (const made of madeBy(step)) maker.set(made, step);
    for (const read of new Set(readBy(step))) {
      const others = readers.get(read) ?? [];
      others.push(step);
      readers.set(read, others);
    }
  }
  const gone = new Set<Step | PairStep>();
  const replaced = new Map<Step | PairStep, Step | PairStep>();
  const readPart = (tensor: LoweredTensor): ReadPart | null => {
    const taken = maker.get(tensor);
    if (taken?.kind !== "call" || taken.call.record.part === undefined) return null;
    const made = maker.get(readBy(taken)[0]!);
    if (made?.kind !== "pairs") return null;
    return { pairs: (replaced.get(made) ?? made) as PairStep, part: taken.call.record.part, taken };
  };
  const isReadBy = (tensor: LoweredTensor, some: (step: Step | PairStep) => boolean): boolean =>
    !live.has(tensor) && (readers.get(tensor) ?? []).every(some);
  for (const step of steps) {
    const found = loopOf(step)?.inputs.flatMap((input) => readPart(input) ?? []) ?? [];
    for (const pairs of new Set(found.map((each) => each.pairs))) {
      const loop = loopOf(replaced.get(step) ?? step)!;
      const parts = new Map(loop.inputs.map((input) => [input, readPart(input)]));
      const own = (input: LoweredTensor): boolean => parts.get(input)?.pairs === pairs;
      const taken = new Set<Step | PairStep>(loop.inputs.filter(own).map((input) => parts.get(input)!.taken));
      const rest = loop.inputs.filter((input) => !own(input));
      const inputs = [...new Set([...rest, ...pairs.inputs])];
      const fits = inputs.length <= maxInputs && pairs.calls.length + loop.calls.length <= MAX_CALLS;
      if (!fits || !sameShape(pairs.output.shape, loop.shape)) continue;
      if (!isReadBy(pairs.output, (reader) => taken.has(reader))) continue;
      if (!loop.inputs.filter(own).every((input) => isReadBy(input, (reader) => reader === step))) continue;
      const at = (input: LoweredTensor): TypedExpr => inputOf(inputs.indexOf(input), input);
      const moved = pairs.expr.parts.map((part) => substitute(part, (i) => at(pairs.inputs[i]!)));
      const chained = (expr: TypedExpr): TypedExpr =>
        substitute(expr, (i) => {
          const input = loop.inputs[i]!;
          return own(input) ? moved[parts.get(input)!.part]! : at(input);
        });
      replaced.set(step, loop.with(inputs, [...pairs.calls, ...loop.calls], chained));
      for (const other of [...taken, maker.get(pairs.output)!]) gone.add(other);
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
  ): Step | PairStep;
}

function loopOf(step: Step | PairStep): Loop | null {
  if (step.kind === "pairs") {
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

function madeBy(step: Step | PairStep): readonly LoweredTensor[] {
  if (step.kind === "pairs") return [step.output];
  return step.kind === "call" ? step.call.results.flatMap(tensorsIn) : [step.group.output];
}
