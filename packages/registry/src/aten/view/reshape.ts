import { numel } from "@pt2/format";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Strided } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { reducedDims, wrapDim } from "../support/dims.ts";
import { dropDims, expandTo, inferSize, insertDim, reshapeTo, restrided } from "./geometry.ts";

/** Defines views that keep the order of the elements, or repeat them. */
export const RESHAPE_OPS: readonly OpRecord[] = [
  defineOp("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { size }) => reshapeTo(self, size),
  }),
  defineOp("aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", {
    inverse: "reshape",
    view: (self, { size }) => reshapeTo(self, size),
  }),
  defineOp("aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { shape }) => reshapeTo(self, shape),
  }),
  defineOp("aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor", {
    view: (self, { size }) => reshapeTo(self, size),
  }),
  defineOp("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { other }) => reshapeTo(self, other.shape),
  }),
  defineOp("aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { other }) => reshapeTo(self, other.shape),
  }),
  defineOp("aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", {
    view: (self, { size }) => reshapeTo(self, size),
  }),
  defineOp(
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
    {
      inverse: { scatter: "aten::as_strided_scatter" },
      view: (self, { size, stride, storage_offset }) => restrided(self, size, stride, storage_offset),
    },
  ),
  defineOp("aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { start_dim, end_dim }) => flatten(self, start_dim, end_dim),
  }),
  defineOp("aten::ravel(Tensor(a) self) -> Tensor(a)", { inverse: "reshape", view: (self) => reshapeTo(self, [-1]) }),
  defineOp("aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { dim, sizes }) => unflatten(self, dim, sizes),
  }),
  defineOp("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", {
    view: (self, { size }) => expandTo(self, size),
  }),
  defineOp("aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", {
    view: (self, { size }) => expandTo(self, size),
  }),
  defineOp("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", {
    view: (self, { other }) => expandTo(self, other.shape),
  }),
  defineOp("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { dim }) => insertDim(self, dim),
  }),
  defineOp("aten::squeeze(Tensor(a) self) -> Tensor(a)", {
    inverse: "reshape",
    view: (self) => squeeze(self, reducedDims(null, self.shape.length)),
  }),
  defineOp("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { dim }) => squeeze(self, [wrapDim(dim, self.shape.length)]),
  }),
  defineOp("aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", {
    inverse: "reshape",
    view: (self, { dim }) => {
      const dims = dim.map((d) => wrapDim(d, self.shape.length));
      check(new Set(dims).size === dims.length, () => `a dim appears multiple times in the list of dims ${show(dim)}`);
      return squeeze(self, dims);
    },
  }),
  defineOp("aten::alias(Tensor(a) self) -> Tensor(a)", { view: (self) => self }),
];

function squeeze(self: Strided, dims: readonly number[]): Strided {
  return dropDims(
    self,
    dims.filter((d) => self.shape[d] === 1),
  );
}

function flatten(self: Strided, start: number, end: number): Strided | null {
  const rank = self.shape.length;
  const [from, to] = [wrapDim(start, rank), wrapDim(end, rank)];
  check(from <= to, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (rank === 0) return reshapeTo(self, [1]);
  if (from === to) return self;
  const middle = numel(self.shape.slice(from, to + 1));
  return reshapeTo(self, [...self.shape.slice(0, from), middle, ...self.shape.slice(to + 1)]);
}

function unflatten(self: Strided, dim: number, sizes: readonly number[]): Strided | null {
  check(sizes.length > 0, "unflatten: sizes must be non-empty");
  const d = wrapDim(dim, self.shape.length);
  const split = inferSize(sizes, self.shape[d]!);
  return reshapeTo(self, [...self.shape.slice(0, d), ...split, ...self.shape.slice(d + 1)]);
}
