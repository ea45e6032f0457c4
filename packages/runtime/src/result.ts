import type { Tensor, Value } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { isGradient, isModuleResult, unflatten } from "@pt2/graph";
import type { LeafInfo } from "./signature.ts";

/** The result of a program of forward and backward: the module's result, and the gradients of its loss. */
export interface JointResult<Output = unknown> {
  /** The module's own structure; the loss is one of its leaves. */
  readonly output: Output;
  /** Gradients by the name of the parameter, such as `layers.0.weight`. */
  readonly gradients: Readonly<Record<string, Tensor>>;
  /** Gradients of inputs that require them, by the name of the input. */
  readonly inputGradients: Readonly<Record<string, Tensor>>;
}

/** Builds the result of `forward` from the leaves of a run. */
export function resultOf(program: Program, inputs: readonly LeafInfo[], values: readonly Value[]): unknown {
  const { outputs, outSpec, namedTuples } = program;
  const build = (leaves: readonly Value[]): unknown =>
    outSpec === null ? leaves : unflatten(outSpec, leaves, namedTuples);
  if (!outputs.some(isGradient)) return build(values);
  const leaves: Value[] = [];
  const gradients: [string, Value][] = [];
  const inputGradients: [string, Value][] = [];
  let at = 0;
  for (const spec of outputs) {
    if (isModuleResult(spec)) leaves.push(values[at++]!);
    else if (!isGradient(spec)) continue;
    else if (spec.kind === "gradient_to_parameter") gradients.push([spec.target, values[at++]!]);
    else inputGradients.push([inputs.find(({ value }) => value === spec.target)?.name ?? spec.target, values[at++]!]);
  }
  const result = {
    output: build(leaves),
    gradients: Object.fromEntries(gradients),
    inputGradients: Object.fromEntries(inputGradients),
  };
  return result satisfies Record<keyof JointResult, unknown>;
}
