import { contiguousStrides, type DType } from "@pt2/format";
import type { Arg, NamedArg, TensorType } from "@pt2/graph";
import type { GraphBuilder } from "@pt2/graph/passes";

/** A value of the graph: its name, dtype and shape. */
export interface Value {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** Appends the arithmetic of optimizers to a graph. Results have the type of the first operand. */
export class UpdateBuilder {
  readonly #builder: GraphBuilder;

  constructor(builder: GraphBuilder) {
    this.#builder = builder;
  }

  add(x: Value, y: Value | number): Value {
    return this.#binary("aten::add.Tensor", x, y);
  }

  sub(x: Value, y: Value | number): Value {
    return this.#binary("aten::sub.Tensor", x, y);
  }

  mul(x: Value, y: Value | number): Value {
    return this.#binary("aten::mul.Tensor", x, y);
  }

  div(x: Value, y: Value | number): Value {
    return this.#binary("aten::div.Tensor", x, y);
  }

  maximum(x: Value, y: Value): Value {
    return this.op("aten::maximum", { self: x, other: y }, x);
  }

  /** Limits elements; null leaves that side. */
  clamp(x: Value, min: number | null, max: number): Value {
    const least = min === null ? {} : { min: { kind: "float", value: min } as const };
    return this.op("aten::clamp", { self: x, ...least, max: { kind: "float", value: max } }, x);
  }

  sqrt(x: Value): Value {
    return this.op("aten::sqrt", { self: x }, x);
  }

  /** x + weight (y - x) */
  lerp(x: Value, y: Value, weight: number): Value {
    return this.op("aten::lerp.Scalar", { self: x, end: y, weight: { kind: "float", value: weight } }, x);
  }

  /** x + value y² */
  addSquare(x: Value, y: Value, value: number): Value {
    const factor = { kind: "float", value } as const;
    return this.op("aten::addcmul", { self: x, tensor1: y, tensor2: y, value: factor }, x);
  }

  /** x - y / z */
  subQuotient(x: Value, y: Value, z: Value): Value {
    const value = { kind: "float", value: -1 } as const;
    return this.op("aten::addcdiv", { self: x, tensor1: y, tensor2: z, value }, x);
  }

  /** Chooses by a number that is 0 or 1. */
  where(condition: Value, x: Value, y: Value): Value {
    return this.op("aten::where.self", { condition, self: x, other: y }, x);
  }

  /** Appends a call whose result has the type of `like`. */
  op(op: string, args: Readonly<Record<string, Value | Arg>>, like: Pick<Value, "dtype" | "shape">): Value {
    const given = Object.entries(args).map(
      ([name, arg]): NamedArg => ({ name, arg: "kind" in arg ? arg : { kind: "value", name: arg.name } }),
    );
    const base = op.slice(op.indexOf("::") + 2).split(".")[0]!;
    const [name] = this.#builder.emit({ op, args: given, results: [{ name: base, type: typeOf(like) }], origin: {} });
    return { name: name!, dtype: like.dtype, shape: like.shape };
  }

  #binary(op: string, self: Value, other: Value | number): Value {
    return this.op(op, { self, other: typeof other === "number" ? { kind: "float", value: other } : other }, self);
  }
}

/** Returns the type of a dense tensor. */
export function typeOf({ dtype, shape }: Pick<Value, "dtype" | "shape">): TensorType {
  const device = { type: "cpu", index: null };
  return {
    kind: "tensor",
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    device,
    requiresGrad: false,
  };
}
