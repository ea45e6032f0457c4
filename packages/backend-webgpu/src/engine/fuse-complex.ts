import type { Step } from "@pt2/engine";
import type { LoweredTensor } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import type { ElementExpr } from "../wgsl/scalar.ts";
import type { ComplexStep } from "./complex-steps.ts";

const chains = onDemand("loops over complex numbers", () => import("./complex-chains.ts"));

/** Returns the steps with loops over complex numbers, where a program makes such numbers of their parts. */
export function fuseComplex(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly Step<ElementExpr>[] {
  const joins = steps.some((step) => step.kind === "call" && step.call.record.complexParts !== undefined);
  return joins ? chains().chainComplexSteps(steps, live, maxInputs).map(asStep) : steps;
}

function asStep(step: Step | ComplexStep): Step<ElementExpr> {
  return step.kind === "complex" ? { kind: "elementwise", group: { ...step, shape: step.output.shape } } : step;
}
