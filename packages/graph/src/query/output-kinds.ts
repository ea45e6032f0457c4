import type { OutputSpec } from "../ir.ts";

/** Returns whether a result is a leaf of the module's return value, which `outSpec` describes. */
export function isModuleResult(
  spec: OutputSpec,
): spec is OutputSpec & { readonly kind: "user_output" | "loss_output" } {
  return spec.kind === "user_output" || spec.kind === "loss_output";
}

/** Returns whether a result is a gradient of the loss, in a program of forward and backward. */
export function isGradient(
  spec: OutputSpec,
): spec is OutputSpec & { readonly kind: "gradient_to_parameter" | "gradient_to_user_input" } {
  return spec.kind === "gradient_to_parameter" || spec.kind === "gradient_to_user_input";
}

/** Returns whether a result is the new value of a buffer or parameter. */
export function isStateMutation(
  spec: OutputSpec,
): spec is OutputSpec & { readonly kind: "buffer_mutation" | "parameter_mutation" } {
  return spec.kind === "buffer_mutation" || spec.kind === "parameter_mutation";
}

/** Returns whether a run returns a result to its caller; the others are written to buffers, or order effects. */
export function isReturned(spec: OutputSpec): boolean {
  return isModuleResult(spec) || isGradient(spec);
}
