import { type Arg, argOf, type Node, type OpName, type TensorType, usesOf } from "@pt2/graph";
import { knownShape, numberOf } from "./literals.ts";

/** A linear layer in float32 on a weight in half precision. */
export const LINEAR_HALF: OpName = "pt2::linear_half";

/** A linear layer whose weight is fixed and in half precision. */
export interface Layer {
  readonly weight: string;
  /** Whether the weight's columns are what a linear layer multiplies by. */
  readonly isTransposed: boolean;
  /** What its op calls the input and the bias. */
  readonly names: readonly [input: string, bias: string];
}

/** Finds the linear layer that a node computes. `fixedHalf` gives the types of fixed values in half precision. */
export function layerOf(node: Node, fixedHalf: (arg: Arg | undefined) => TensorType | undefined): Layer | null {
  const kind = KINDS.get(node.op);
  if (kind === undefined) return null;
  const { weight, isTransposed, names } = kind;
  const matrix = argOf(node, weight);
  const [rows, columns, ...more] = knownShape(fixedHalf(matrix)) ?? [];
  if (matrix?.kind !== "value" || !rows || !columns || more.length > 0) return null;
  if (usesOf(node).filter((name) => name === matrix.name).length > 1) return null;
  const [N, K] = isTransposed ? [columns, rows] : [rows, columns];
  // Kernels read pairs along K.
  if (K % 2 !== 0) return null;
  const isScaled = ["alpha", "beta"].some((name) => (numberOf(argOf(node, name)) ?? 1) !== 1);
  const bias = argOf(node, names[1]);
  if (isScaled || (bias?.kind === "value" && knownShape(fixedHalf(bias))?.join() !== String(N))) return null;
  return { weight: matrix.name, isTransposed, names };
}

const KINDS: ReadonlyMap<OpName, Omit<Layer, "weight"> & { readonly weight: string }> = new Map([
  ["aten::linear", { weight: "weight", isTransposed: false, names: ["input", "bias"] }],
  ["aten::mm", { weight: "mat2", isTransposed: true, names: ["self", "bias"] }],
  ["aten::matmul", { weight: "other", isTransposed: true, names: ["self", "bias"] }],
  ["aten::addmm", { weight: "mat2", isTransposed: true, names: ["mat1", "self"] }],
]);
