import type { Step } from "@pt2/engine";
import type { LoweredTensor } from "@pt2/registry";
import type { ElementExpr } from "../wgsl/scalar.ts";
import type { ComplexStep } from "./complex-steps.ts";

/** Returns the steps with loops over complex numbers, where a program makes such numbers of their parts. */
export async function fuseComplex(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): Promise<readonly Step<ElementExpr>[]> {
  const joins = steps.some((step) => step.kind === "call" && step.call.record.complexParts !== undefined);
  if (!joins) return steps;
  const { chainComplexSteps } = await import("./complex-chains.ts");
  return chainComplexSteps(steps, live, maxInputs).map(asStep);
}

function asStep(step: Step | ComplexStep): Step<ElementExpr> {
  return step.kind === "complex" ? { kind: "elementwise", group: { ...step, shape: step.output.shape } } : step;
}
