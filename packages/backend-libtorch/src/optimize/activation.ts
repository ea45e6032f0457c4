import { floatArg, NONE, numberOf, textArg } from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName } from "@pt2/graph";

/** A function of one element, with the names of oneDNN's fused ops, which this package's kernels use too. */
export interface Activation {
  readonly attr: string;
  readonly scalars: readonly number[];
  readonly algorithm: string;
}

/** Returns the activation that a node computes of its first argument, if it is one that can be fused. */
export function activationOf(node: Node): Activation | undefined {
  const plain = PLAIN.get(node.op);
  if (plain !== undefined) return { attr: plain, scalars: [], algorithm: "" };
  return PARAMETRIC.get(node.op)?.(node);
}

/** Returns the three arguments of a fused op that stand for an activation. */
export function activationArgs({ attr, scalars, algorithm }: Activation): Readonly<Record<string, Arg>> {
  return {
    attr: textArg(attr),
    scalars: { kind: "list", items: scalars.map(floatArg) },
    algorithm: textArg(algorithm),
  };
}

/** The identity. */
export const NO_ACTIVATION: Activation = { attr: "none", scalars: [], algorithm: "" };

/** Returns whether a fused node applies no activation yet. */
export function isBare(node: Node): boolean {
  const attr = argOf(node, "attr") ?? NONE;
  return attr.kind === "none" || (attr.kind === "string" && attr.value === "none");
}

const PLAIN: ReadonlyMap<OpName, string> = new Map([
  ["aten::relu", "relu"],
  ["aten::sigmoid", "sigmoid"],
  ["aten::tanh", "tanh"],
  ["aten::silu", "swish"],
  ["aten::hardswish", "hardswish"],
  ["aten::hardsigmoid", "hardsigmoid"],
]);

type Parametric = (node: Node) => Activation | undefined;

/** Matches a clamp between two numbers that are given, or have these defaults. */
function clamp(min: string, max: string, fallback: readonly [number, number] | undefined): Parametric {
  return (node) => {
    const low = numberOf(argOf(node, min)) ?? fallback?.[0];
    const high = numberOf(argOf(node, max)) ?? fallback?.[1];
    return low === undefined || high === undefined
      ? undefined
      : { attr: "hardtanh", scalars: [low, high], algorithm: "" };
  };
}

const PARAMETRIC: ReadonlyMap<OpName, Parametric> = new Map<OpName, Parametric>([
  ["aten::relu6", () => ({ attr: "hardtanh", scalars: [0, 6], algorithm: "" })],
  ["aten::hardtanh", clamp("min_val", "max_val", [-1, 1])],
  ["aten::clamp", clamp("min", "max", undefined)],
  [
    "aten::leaky_relu",
    (node) => ({ attr: "leaky_relu", scalars: [numberOf(argOf(node, "negative_slope")) ?? 0.01], algorithm: "" }),
  ],
  [
    "aten::gelu",
    (node) => {
      const variant = argOf(node, "approximate");
      return { attr: "gelu", scalars: [], algorithm: variant?.kind === "string" ? variant.value : "none" };
    },
  ],
]);

/** Every op that {@link activationOf} may recognize. */
export const ACTIVATIONS: readonly OpName[] = [...PLAIN.keys(), ...PARAMETRIC.keys()];
