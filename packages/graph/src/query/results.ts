import type { OutputSpec } from "../ir.ts";

/** Whether a result is a leaf of what the module returns: what `outSpec` describes. */
export function isModuleResult(
  spec: OutputSpec,
): spec is OutputSpec & { readonly kind: "user_output" | "loss_output" } {
  return spec.kind === "user_output" || spec.kind === "loss_output";
}

/** Whether a result is a gradient: those of the loss are results of a program of forward and backward. */
export function isGradient(
  spec: OutputSpec,
): spec is OutputSpec & { readonly kind: "gradient_to_parameter" | "gradient_to_user_input" } {
  return spec.kind === "gradient_to_parameter" || spec.kind === "gradient_to_user_input";
}

/** Whether a run gives a result to its caller; the rest is written to buffers, or orders effects. */
export function isReturned(spec: OutputSpec): boolean {
  return isModuleResult(spec) || isGradient(spec);
}
