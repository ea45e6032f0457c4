import { defineOp, type OpRecord } from "../../op.ts";
import type { Strided } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { wrapDim } from "../support/dims.ts";
import { permuteTo, sliceOf, swap } from "./geometry.ts";

/** Defines the other views that reorder dimensions or select elements. */
export const REARRANGE_OPS: readonly OpRecord[] = [
  defineOp("aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", {
    inverse: { undo: "aten::swapdims" },
    view: (self, { dim0, dim1 }) => swap(self, dim0, dim1),
  }),
  defineOp("aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", {
    inverse: { undo: "aten::swapaxes" },
    view: (self, { axis0, axis1 }) => swap(self, axis0, axis1),
  }),
  defineOp("aten::mT(Tensor(a) self) -> Tensor(a)", { inverse: { undo: "aten::mT" }, view: (self) => lastTwo(self) }),
  defineOp("aten::numpy_T(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::numpy_T" },
    view: (self) =>
      permuteTo(
        self,
        self.shape.map((_, d) => self.shape.length - 1 - d),
      ),
  }),
  defineOp("aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)", {
    inverse: "move",
    view: (self, { source, destination }) => move(self, [source], [destination]),
  }),
  defineOp("aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", {
    inverse: "move",
    view: (self, { source, destination }) => move(self, source, destination),
  }),
  defineOp("aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)", {
    inverse: "move",
    view: (self, { source, destination }) => move(self, [source], [destination]),
  }),
  defineOp("aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", {
    inverse: "move",
    view: (self, { source, destination }) => move(self, source, destination),
  }),
  defineOp("aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", {
    inverse: "narrow",
    view: (self, { dim, start, length }) => narrow(self, dim, start, length),
  }),
  defineOp("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", {
    inverse: { scatter: "aten::diagonal_scatter" },
    view: (self, { offset, dim1, dim2 }) => diagonal(self, offset, dim1, dim2),
  }),
  defineOp("aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)", {
    view: (self, { offset, dim1, dim2 }) => diagonal(self, offset, dim1, dim2),
  }),
  defineOp("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", {
    view: (self, { dimension, size, step }) => unfold(self, dimension, size, step),
  }),
];

function lastTwo(self: Strided): Strided {
  // A number is its own transpose, which PyTorch says to be deprecated.
  if (self.shape.length === 0) return self;
  check(self.shape.length >= 2, "tensor.mT is only supported on matrices or batches of matrices");
  return swap(self, -2, -1);
}

function move(self: Strided, source: readonly number[], destination: readonly number[]): Strided {
  check(source.length === destination.length, "movedim: Invalid source or destination dims");
  const rank = self.shape.length;
  const from = source.map((d) => wrapDim(d, rank));
  const to = destination.map((d) => wrapDim(d, rank));
  check(new Set(from).size === from.length, "movedim: repeated dim in `source`");
  check(new Set(to).size === to.length, "movedim: repeated dim in `destination`");
  if (rank === 0) return self;
  const rest = self.shape.map((_, d) => d).filter((d) => !from.includes(d));
  return permuteTo(
    self,
    self.shape.map((_, d) => (to.includes(d) ? from[to.indexOf(d)]! : rest.shift()!)),
  );
}

/** Narrows a dimension; length and start must be valid, they are not clamped. */
function narrow(self: Strided, dim: number, start: number, length: number): Strided {
  check(self.shape.length > 0, "narrow() cannot be applied to a 0-dim tensor.");
  check(length >= 0, "narrow(): length must be non-negative.");
  const size = self.shape[wrapDim(dim, self.shape.length)]!;
  const from = start < 0 ? start + size : start;
  check(
    from >= 0 && from + length <= size,
    () => `start (${start}) + length (${length}) exceeds dimension size (${size}).`,
  );
  return sliceOf(self, dim, from, from + length, 1);
}

/** Views the elements whose indices in two dimensions differ by `offset`. */
export function diagonal(self: Strided, offset: number, dim1: number, dim2: number): Strided {
  const rank = self.shape.length;
  const [a, b] = [wrapDim(dim1, rank), wrapDim(dim2, rank)];
  check(a !== b, () => `diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const [rows, columns] = [self.shape[a]!, self.shape[b]!];
  const length = Math.max(0, offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns));
  const [rowStride, columnStride] = [self.strides[a]!, self.strides[b]!];
  const start = length === 0 ? 0 : offset >= 0 ? offset * columnStride : -offset * rowStride;
  const keep = (_: number, d: number): boolean => d !== a && d !== b;
  const shape = [...self.shape.filter(keep), length];
  const strides = [...self.strides.filter(keep), rowStride + columnStride];
  return { shape, strides, offset: self.offset + start };
}

function unfold(self: Strided, dimension: number, size: number, step: number): Strided {
  const d = wrapDim(dimension, self.shape.length);
  const length = self.shape[d] ?? 1;
  check(size >= 0, () => `size is ${size} but must be >= 0`);
  check(size <= length, () => `maximum size for tensor at dimension ${d} is ${length} but size is ${size}`);
  check(step > 0, () => `step is ${step} but must be > 0`);
  const count = Math.floor((length - size) / step) + 1;
  const stride = self.strides[d] ?? 1;
  const shape = self.shape.map((n, i) => (i === d ? count : n));
  const strides = self.strides.map((n, i) => (i === d ? stride * step : n));
  return { shape: [...shape, size], strides: [...strides, stride], offset: self.offset };
}
