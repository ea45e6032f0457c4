import type { LoweredTensor } from "@pt2/registry";
import type { Step } from "../fuse.ts";
import type { ComplexStep } from "./complex-steps.ts";

/**
 * Returns the steps with loops over complex numbers, of at most `maxParts` operands, where a program makes such numbers of their parts.
 * `Expr` is what loops of the device compute: `ElementExpr` where `maxParts` is given.
 */
export async function fuseComplex<Expr>(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxParts: number | undefined,
): Promise<readonly Step<Expr>[]> {
  const joins = steps.some((step) => step.kind === "call" && step.call.record.complexParts !== undefined);
  if (!joins || maxParts === undefined) return steps as readonly Step<Expr>[];
  const { chainComplexSteps } = await import("./complex-chains.ts");
  return chainComplexSteps(steps, live, maxParts).map(asStep) as readonly Step<Expr>[];
}

function asStep(step: Step | ComplexStep): Step<unknown> {
  return step.kind === "complex" ? { kind: "elementwise", group: { ...step, shape: step.output.shape } } : step;
}
