import type { Node, OpName } from "@pt2/graph";
import type { ArgValue, Builder, GradientCall, TensorMeta } from "@pt2/registry";

/** The arguments of a gradient rule of any op. */
export interface Call extends GradientCall<string> {
  /** The node that is differentiated, for messages. */
  readonly node?: Node;
}

/** The gradients of the tensor arguments, by name. No gradient flows to those that are left out. */
export type Gradients = { readonly [argument: string]: TensorMeta | readonly (TensorMeta | null)[] | null };

/** Computes the gradients of a call's arguments from those of its results. */
export interface GradientRule {
  (call: Call, b: Builder): Gradients;
  /** Whether it knows the gradient of the first result only: others then flow through the op's decomposition. */
  readonly firstOnly?: true;
}

/** Calls the op in a form that has gradient rules; null where it does not apply. */
export type DifferentiableForm = (args: Call["args"], b: Builder) => ArgValue;

/** Gradient rules by op. */
export type GradientRules = Readonly<Record<OpName, GradientRule>>;

/** Makes a rule for the first result. */
export function ofResult(
  rule: (grad: TensorMeta, args: Call["args"], b: Builder, call: Call) => Gradients,
): GradientRule {
  const made: GradientRule = (call, b) => {
    const [grad] = call.grads;
    return grad === null || grad === undefined ? {} : rule(grad, call.args, b, call);
  };
  return Object.assign(made, { firstOnly: true } as const);
}
