import { defineOp, type OpRecord, type OpSet, type Strided } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";

/** `self + by`, and with it `bump_` and `bump.out`. */
export const bump: OpRecord = defineOp("mine::bump(Tensor self, float by) -> Tensor", {
  scalar: (self, by) => s.add(self, by),
});

/** The same in other ops. */
export const bumpDecomposed: OpRecord = defineOp("mine::bump(Tensor self, float by) -> Tensor", {
  decompose: ({ self, by }, b) => b.tensor("aten::add.Tensor", { self, other: { float: by } }),
});

/** Its result has another dtype than its argument. */
export const isPositive: OpRecord = defineOp("mine::is_positive(Tensor self) -> Tensor", {
  scalar: (self) => s.gt(self, 0),
  promote: { kind: "bool" },
});

/** An op in place without a functional variant. */
export const doubled_: OpRecord = defineOp("mine::doubled_(Tensor(a!) self) -> Tensor(a!)", {
  decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: self }),
});

/** Rows 0, 2, 4, … */
export const everySecond: OpRecord = defineOp("mine::every_second(Tensor(a) self) -> Tensor(a)", {
  view({ shape, strides, offset }): Strided {
    const [rows, ...rest] = shape;
    const [step, ...inner] = strides;
    return { shape: [Math.ceil(rows! / 2), ...rest], strides: [2 * step!, ...inner], offset };
  },
});

/** The first rows and the others. */
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

/** The elements with the other sign. Its geometry cannot say so: what undoes it is the view itself. */
export const negated: OpRecord = defineOp("mine::negated(Tensor(a) self) -> Tensor(a)", {
  inverse: { undo: "mine::negated" },
  decompose: ({ self }, b) => b.tensor("aten::neg", { self }),
});

/** Windows of three elements, each one element further. */
export const windows: OpRecord = defineOp("mine::windows(Tensor(a) self) -> Tensor(a)", {
  view({ shape, strides, offset }): Strided {
    return { shape: [shape[0]! - 2, 3], strides: [strides[0]!, strides[0]!], offset };
  },
});

/** Twice its argument. Its rule is wrong, so that it shows who was asked. */
export const twice: OpRecord = defineOp("mine::twice(Tensor self) -> Tensor", { scalar: (self) => s.mul(self, 0) });

/** The same as a view that is wrong. */
export const twiceView: OpRecord = defineOp("mine::twice(Tensor self) -> Tensor", { view: (self) => self });

/** PyTorch's names, with another meaning. */
export const thousandfold: OpRecord = defineOp("aten::relu(Tensor self) -> Tensor", {
  scalar: (self) => s.mul(self, 1000),
});
export const sumOfMatrices: OpRecord = defineOp("aten::mm(Tensor self, Tensor mat2) -> Tensor", {
  decompose: ({ self, mat2 }, b) => b.tensor("aten::add.Tensor", { self, other: mat2 }),
});

/** An op set of these records. */
export function own(...ops: OpSet["ops"]): readonly OpSet[] {
  return [{ name: "mine", ops }];
}

/** An op set that takes PyTorch's names. */
export function replacing(...ops: OpSet["ops"]): readonly OpSet[] {
  return [{ name: "mine", ops, replace: true }];
}
