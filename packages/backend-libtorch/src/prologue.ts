import { eliminateDeadCode } from "@pt2/graph/passes";
import type { NativeTensor } from "./addon.ts";
import { isNativeTensor } from "./native-tensor.ts";
import type { OptimizedProgram, Prologue } from "./optimized-program.ts";
import { CompiledPlan, type PlanServices } from "./plan/compiled-plan.ts";

/** Returns the tensors that a program's placeholders stand for, by the name of their value. */
export function boundValues(
  { inputs }: OptimizedProgram["program"],
  tensors: ReadonlyMap<string, NativeTensor>,
): ReadonlyMap<string, NativeTensor> {
  const bound = new Map<string, NativeTensor>();
  for (const spec of inputs) {
    const tensor = "target" in spec ? tensors.get(spec.target) : undefined;
    if (tensor !== undefined && "target" in spec) bound.set(spec.value, tensor);
  }
  return bound;
}

/**
 * Computes the weights that an optimized program takes instead of those of the archive. The archive's are disposed
 * where
 * no other value reads them.
 */
export async function runPrologue(
  { program, prologue }: OptimizedProgram,
  weights: ReadonlyMap<string, NativeTensor>,
  services: PlanServices,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, NativeTensor>> {
  if (prologue === null) return weights;
  const plan = new CompiledPlan(prologue.program, boundValues(prologue.program, weights), services);
  const { outputs } = await plan.run([], { signal }).finally(() => plan.dispose());
  const made = prologue.targets.flatMap((target, i) => {
    const tensor = outputs[i];
    return isNativeTensor(tensor) ? [[target, tensor] as const] : [];
  });
  const all = new Map([...weights, ...made]);
  const read = new Set(program.inputs.flatMap((spec) => ("target" in spec ? spec.target : [])));
  return new Map([...all].filter(([target, tensor]) => read.has(target) || void tensor.dispose()));
}

/** Returns the part of a prologue that computes what is not known, by target; null where all is. */
export function restOf({ program, targets }: Prologue, known: ReadonlySet<string>): Prologue | null {
  const left = targets.flatMap((target, i) => (known.has(target) ? [] : [i]));
  if (left.length === 0) return null;
  const of = <T>(all: readonly T[]): readonly T[] => left.map((i) => all[i]!);
  const { graph } = program;
  const part = { ...program, graph: { ...graph, outputs: of(graph.outputs) }, outputs: of(program.outputs) };
  return { program: eliminateDeadCode(part, { isPure: () => true }), targets: of(targets) };
}
