import type { ArgValue, Builder, TensorMeta } from "@pt2/registry";

/** An operand of an elementwise op: a tensor, or a Python number. */
export type Operand = TensorMeta | number | { readonly float: number };

/** Short names for the ops that rules use most. */
export class Emit {
  readonly b: Builder;

  constructor(b: Builder) {
    this.b = b;
  }

  add(self: TensorMeta, other: Operand): TensorMeta {
    return this.#binary("aten::add.Tensor", self, other);
  }

  sub(self: TensorMeta, other: Operand): TensorMeta {
    return this.#binary("aten::sub.Tensor", self, other);
  }

  mul(self: TensorMeta, other: Operand): TensorMeta {
    return this.#binary("aten::mul.Tensor", self, other);
  }

  div(self: TensorMeta, other: Operand): TensorMeta {
    return this.#binary("aten::div.Tensor", self, other);
  }

  unary(op: string, self: TensorMeta): TensorMeta {
    return this.b.tensor(`aten::${op}` as string, { self });
  }

  neg(self: TensorMeta): TensorMeta {
    return this.unary("neg", self);
  }

  /** Multiplies by a number, unless it is 1. */
  times(self: TensorMeta, factor: number): TensorMeta {
    return factor === 1 ? self : this.mul(self, { float: factor });
  }

  zeros({ shape, dtype }: TensorMeta): TensorMeta {
    return this.full(shape, 0, dtype);
  }

  full(size: readonly number[], fill_value: number, dtype: TensorMeta["dtype"]): TensorMeta {
    return this.b.tensor("aten::full", { size, fill_value, dtype });
  }

  reshape(self: TensorMeta, shape: readonly number[]): TensorMeta {
    return `${self.shape}` === `${shape}` ? self : this.b.tensor("aten::reshape", { self, shape });
  }

  expand(self: TensorMeta, size: readonly number[]): TensorMeta {
    return `${self.shape}` === `${size}` ? self : this.b.tensor("aten::expand", { self, size });
  }

  cast(self: TensorMeta, dtype: TensorMeta["dtype"]): TensorMeta {
    return self.dtype === dtype ? self : this.b.tensor("aten::_to_copy", { self, dtype });
  }

  /** Exchanges the last two dimensions. */
  transposed(self: TensorMeta): TensorMeta {
    return this.b.tensor("aten::transpose.int", { self, dim0: -2, dim1: -1 });
  }

  matmul(self: TensorMeta, other: TensorMeta): TensorMeta {
    return this.b.tensor("aten::matmul", { self, other });
  }

  sum(self: TensorMeta, dim: readonly number[], keepdim = false): TensorMeta {
    return this.b.tensor("aten::sum.dim_IntList", { self, dim, keepdim });
  }

  where(condition: TensorMeta, self: TensorMeta, other: TensorMeta): TensorMeta {
    return this.b.tensor("aten::where.self", { condition, self, other });
  }

  /** Calls an op by a name that is not known to the compiler. */
  tensor(op: string, args: Readonly<Record<string, ArgValue>>): TensorMeta {
    return this.b.tensor(op, args);
  }

  call(op: string, args: Readonly<Record<string, ArgValue>>): readonly ArgValue[] {
    return this.b.call(op, args);
  }

  #binary(op: string, self: TensorMeta, other: Operand): TensorMeta {
    return this.b.tensor(op, { self, other });
  }
}

/** The arguments of a rule that are tensors. */
export function tensorOf(value: ArgValue | undefined): TensorMeta {
  return value as TensorMeta;
}
