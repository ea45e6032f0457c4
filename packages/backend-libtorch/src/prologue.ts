import type { NativeTensor } from "./addon.ts";
import { isNativeTensor } from "./native-tensor.ts";
import type { OptimizedProgram } from "./optimized-program.ts";
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
