/** Gradients of PyTorch programs, as a graph transformation. */
export { AUTOGRAD_ERRORS, type AutogradErrorCode } from "./autograd-errors.ts";
export { type GradOptions, grad } from "./grad.ts";
export type { GradientRule, Gradients } from "./gradient-rule.ts";
export { gradientRuleOf } from "./gradient-rule-of.ts";
export { tieParameters } from "./tied-parameters.ts";
export { type LossOptions, withLoss } from "./with-loss.ts";
