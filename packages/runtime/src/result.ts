import type { Tensor, Value } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { isGradient, isModuleResult, isReturned, unflatten } from "@pt2/graph";
import type { LeafInfo } from "./signature.ts";

/** What a step of a program of forward and backward returns. The tensors are where the backend computes. */
export interface StepResult<Outputs = unknown> {
  /** The number that gradients are taken of, as a tensor of one element. */
  readonly loss: Tensor;
  /** The module's result in its own structure; the loss is one of its leaves. */
  readonly outputs: Outputs;
  /** Gradients by the name of the parameter, such as `layers.0.weight`. */
  readonly gradients: Readonly<Record<string, Tensor>>;
  /** Gradients of inputs that require them, by the name of the input. */
  readonly inputGradients: Readonly<Record<string, Tensor>>;
}

/** Returns whether a program computes a loss and its gradients. */
export function isJoint({ outputs }: Pick<Program, "outputs">): boolean {
  return outputs.some(isGradient) && outputs.some(({ kind }) => kind === "loss_output");
}

/** Builds the module's result from the leaves of a run, which include gradients where the program has them. */
export function resultOf({ outputs, outSpec, namedTuples }: Program, values: readonly Value[]): unknown {
  if (outSpec !== null && outSpec.type === null && values.length === 1 && outputs.length === 1) return values[0];
  const returned = outputs.filter(isReturned);
  const leaves = values.filter((_, i) => isModuleResult(returned[i]!));
  return outSpec === null ? leaves : unflatten(outSpec, leaves, namedTuples);
}

/** Builds the result of `step` from the leaves of a run. */
export function stepResultOf(program: Program, inputs: readonly LeafInfo[], values: readonly Value[]): StepResult {
  const returned = program.outputs.filter(isReturned);
  const gradients: [string, Tensor][] = [];
  const inputGradients: [string, Tensor][] = [];
  for (const [i, spec] of returned.entries()) {
    if (!isGradient(spec)) continue;
    const { kind, target } = spec;
    if (kind === "gradient_to_parameter") gradients.push([target, values[i] as Tensor]);
    else inputGradients.push([inputs.find(({ value }) => value === target)?.name ?? target, values[i] as Tensor]);
  }
  return {
    loss: values[returned.findIndex(({ kind }) => kind === "loss_output")] as Tensor,
    outputs: resultOf(program, values),
    gradients: Object.fromEntries(gradients),
    inputGradients: Object.fromEntries(inputGradients),
  };
}
