import { defineOp, type OpRecord, type OpSet, type Strided } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";

/** Computes `self + by`; defined together with `bump_` and `bump.out`. */
export const bump: OpRecord = defineOp("mine::bump(Tensor self, float by) -> Tensor", {
  scalar: (self, by) => s.add(self, by),
});

/** Computes the same by a decomposition. */
export const bumpDecomposed: OpRecord = defineOp("mine::bump(Tensor self, float by) -> Tensor", {
  decompose: ({ self, by }, b) => b.tensor("aten::add.Tensor", { self, other: { float: by } }),
});

/** Returns a result with another dtype than its argument. */
export const isPositive: OpRecord = defineOp("mine::is_positive(Tensor self) -> Tensor", {
  scalar: (self) => s.gt(self, 0),
  promote: { kind: "bool" },
});

/** An in-place op without a functional variant. */
export const doubled_: OpRecord = defineOp("mine::doubled_(Tensor(a!) self) -> Tensor(a!)", {
  decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: self }),
});

/** A view of rows 0, 2, 4, … */
export const everySecond: OpRecord = defineOp("mine::every_second(Tensor(a) self) -> Tensor(a)", {
  view({ shape, strides, offset }): Strided {
    const [rows, ...rest] = shape;
    const [step, ...inner] = strides;
    return { shape: [Math.ceil(rows! / 2), ...rest], strides: [2 * step!, ...inner], offset };
  },
});

/** Two views: the first half of the rows, and the second half. */
export const halves: OpRecord = defineOp("mine::halves(Tensor(a) self) -> Tensor(a)[]", {
  view({ shape, strides, offset }): readonly Strided[] {
    const [rows, ...rest] = shape;
    const half = Math.floor(rows! / 2);
    const part = (size: number, from: number): Strided => {
      return { shape: [size, ...rest], strides, offset: offset + from * strides[0]! };
    };
    return [part(half, 0), part(rows! - half, half)];
  },
});

/** A view of the negated elements. A geometry cannot express that; applying the view again undoes it. */
export const negated: OpRecord = defineOp("mine::negated(Tensor(a) self) -> Tensor(a)", {
  inverse: { undo: "mine::negated" },
  decompose: ({ self }, b) => b.tensor("aten::neg", { self }),
});

/** A view of all windows of three elements, with step 1. */
export const windows: OpRecord = defineOp("mine::windows(Tensor(a) self) -> Tensor(a)", {
  view({ shape, strides, offset }): Strided {
    return { shape: [shape[0]! - 2, 3], strides: [strides[0]!, strides[0]!], offset };
  },
});

/** Doubles its argument. Its rule is wrong on purpose, so that a test can tell it from a kernel. */
export const twice: OpRecord = defineOp("mine::twice(Tensor self) -> Tensor", { scalar: (self) => s.mul(self, 0) });

/** The same as a view, wrong on purpose. */
export const twiceView: OpRecord = defineOp("mine::twice(Tensor self) -> Tensor", { view: (self) => self });

/** An op with PyTorch's name and another meaning. */
export const thousandfold: OpRecord = defineOp("aten::relu(Tensor self) -> Tensor", {
  scalar: (self) => s.mul(self, 1000),
});
export const sumOfMatrices: OpRecord = defineOp("aten::mm(Tensor self, Tensor mat2) -> Tensor", {
  decompose: ({ self, mat2 }, b) => b.tensor("aten::add.Tensor", { self, other: mat2 }),
});

/** Makes an op set of these records. */
export function userSet(...ops: OpSet["ops"]): readonly OpSet[] {
  return [{ name: "mine", ops }];
}

/** Makes an op set that replaces PyTorch's ops. */
export function replacing(...ops: OpSet["ops"]): readonly OpSet[] {
  return [{ name: "mine", ops, replace: true }];
}
