import { numel } from "@pt2/format";
import type { Node, NodeOrigin, TensorType } from "../../ir.ts";
import { contiguousStrides } from "../../strides.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import type { Tensor } from "./alias-state.ts";

/** Returns the chain of views from the memory to a tensor. */
export function chainOf(tensor: Tensor): readonly Tensor[] {
  return tensor.parent === null ? [] : [...chainOf(tensor.parent), tensor];
}

/**
 * Returns whether a tensor contains no element of its memory twice, by its sizes and strides; null where they are
 * unknown. Otherwise PyTorch's order of writes decides the result.
 */
export function isInjective({ shape, strides }: TensorType): boolean | null {
  const dims = shape.map((size, i) => ({ size: Number(size), stride: Number(strides[i]) }));
  if (dims.some(({ size, stride }) => Number.isNaN(size) || Number.isNaN(stride))) return null;
  let reach = 0;
  for (const { size, stride } of dims.filter((dim) => dim.size > 1).sort((a, b) => a.stride - b.stride)) {
    if (stride <= reach) return hasNoneTwice(dims);
    reach += (size - 1) * stride;
  }
  return true;
}

/** Looks at each position, where strides do not tell. */
function hasNoneTwice(dims: readonly { readonly size: number; readonly stride: number }[]): boolean {
  const count = numel(dims.map(({ size }) => size));
  if (count > MOST_POSITIONS || dims.some(({ size, stride }) => size > 1 && stride === 0)) return count === 0;
  let positions = [0];
  for (const { size, stride } of dims)
    positions = positions.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * stride));
  return new Set(positions).size === count;
}

/** More are taken for such that are there twice. */
const MOST_POSITIONS = 2 ** 16;

/** Returns whether an in-place node writes one number everywhere, so that it does not matter where it writes twice. */
export function writesOneNumber({ op }: Pick<Node, "op">): boolean {
  return op === "aten::zero_" || op === "aten::fill_.Scalar";
}

/** Creates a tensor of the positions 0, 1, 2, … with the shape of a memory. Returns null where its size is unknown. */
export function positionsIn(type: TensorType, builder: GraphBuilder, origin: NodeOrigin): string | null {
  if (!type.shape.every((size) => typeof size === "number")) return null;
  const count = numel(type.shape);
  const dense = { ...type, dtype: "int64", storageOffset: 0 } as const;
  const [row] = builder.emit({
    op: "aten::arange",
    args: [{ name: "end", arg: { kind: "int", value: count } }],
    results: [{ name: "arange", type: { ...dense, shape: [count], strides: [1] } }],
    origin,
  });
  const items = type.shape.map((value) => ({ kind: "int", value }) as const);
  const [grid] = builder.emit({
    op: "aten::view",
    args: [
      { name: "self", arg: { kind: "value", name: row! } },
      { name: "size", arg: { kind: "list", items } },
    ],
    results: [{ name: "view", type: { ...dense, strides: contiguousStrides(type.shape) } }],
    origin,
  });
  return grid!;
}
