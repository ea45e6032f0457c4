import type { DType } from "@pt2/format";
import type { OpSchema } from "@pt2/registry";
import type { RandomBelow } from "@pt2/testing/random";
import type { ArgSpec, CallSpec, Fill, Form, TensorSpec } from "./call-spec.ts";

type SchemaType = OpSchema["args"][number]["type"];

export const DTYPES_TRIED: readonly DType[] = [
  ...(["float32", "float32", "float32", "float32", "int64", "int64", "int64", "bool", "int32", "float64"] as const),
  ...(["float16", "bfloat16", "uint8", "int8", "complex64"] as const),
];
export const FILLS: readonly Fill[] = ["small", "small", "ones", "zeros", "negative", "huge", "edge", "ordered"];
export const FORMS: readonly Form[] = [
  ...(["dense", "dense", "dense", "dense", "dense", "dense", "dense", "dense", "transposed", "expanded"] as const),
  ...(["sliced", "sparse", "csr", "quantized", "mkldnn"] as const),
];
export const SIZES: readonly number[] = [0, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 16];
const INTS: readonly string[] = [
  ...["-1", "-2", "4", "5", "7", "64", "100", "65536", String(2 ** 31), String(2 ** 40)],
  ...[String(2n ** 62n), String(2n ** 63n - 1n), String(-(2n ** 63n)), String(-(2 ** 33))],
];
const FLOATS: readonly string[] = ["0.5", "1", "2", "0", "-1", "1e-12", "1e30", "NaN", "Infinity"];
const STRINGS: readonly string[] = [
  ...["", "none", "mean", "sum", "max", "tanh", "relu", "linear", "same", "valid", "amax", "prod", "floor", "reduced"],
  ...["ij,jk->ik", "reflect", "constant", "hann", "L", "backward"],
];
const LAYOUTS: readonly string[] = ["strided", "sparse_coo", "sparse_csr", "mkldnn"];
const MEMORY_FORMATS: readonly string[] = ["contiguous_format", "channels_last", "channels_last_3d", "preserve_format"];

/** Draws arguments that fit each other more often than not, because others end at the first check of an op. */
export class ArgSource {
  readonly next: RandomBelow;
  readonly #shape: readonly number[];
  readonly #dtype: DType;

  constructor(next: RandomBelow) {
    this.next = next;
    const rank = next(6);
    this.#shape = Array.from({ length: rank }, () => this.pick(SIZES));
    this.#dtype = next(2) === 0 ? "float32" : this.pick(DTYPES_TRIED);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.next(list.length)]!;
  }

  /** Arguments that have defaults are left out half of the time. */
  call(schema: OpSchema): CallSpec {
    const args = schema.args
      .filter((arg) => arg.default === undefined || this.next(2) === 0)
      .map((arg) => [arg.name, this.arg(arg.type, arg.name)] as const);
    return { op: schema.name, args: Object.fromEntries(args) };
  }

  arg(type: SchemaType, name: string): ArgSpec {
    if (type.kind === "optional") return this.next(3) === 0 ? { kind: "none" } : this.arg(type.inner, name);
    if (type.kind === "list") {
      const usual = type.size ?? Math.max(1, this.#shape.length - 2);
      const count = this.next(4) === 0 ? this.next(6) : usual;
      return { kind: "list", items: Array.from({ length: count }, () => this.arg(type.inner, name)) };
    }
    return this.#base(type.kind === "base" ? type.base : "", name);
  }

  int(): ArgSpec {
    return { kind: "int", value: this.next(4) === 0 ? this.pick(INTS) : String(this.next(4)) };
  }

  float(): ArgSpec {
    return { kind: "float", value: this.pick(FLOATS) };
  }

  tensor(name: string): TensorSpec {
    const indices = /ind|offset|target|length|bag|label|idx|seq|batch_sizes|step/i.test(name);
    const dtype = this.next(6) === 0 ? this.pick(DTYPES_TRIED) : indices ? "int64" : this.#dtype;
    const fill = this.next(3) === 0 ? this.pick(FILLS) : "small";
    const form = this.next(3) === 0 ? this.pick(FORMS) : "dense";
    return { kind: "tensor", dtype, shape: this.#shapeOf(), fill, form };
  }

  #shapeOf(): readonly number[] {
    const common = this.#shape;
    switch (this.next(8)) {
      case 0:
        return Array.from({ length: this.next(6) }, () => this.pick(SIZES));
      case 1:
        return common.length === 0 ? [] : [this.pick(common)];
      case 2:
        return common.slice(0, -1);
      case 3:
        return common.map((size) => (this.next(4) === 0 ? this.pick(SIZES) : size));
      default:
        return common;
    }
  }

  #base(base: string, name: string): ArgSpec {
    switch (base) {
      case "Tensor":
        return this.tensor(name);
      case "int":
      case "SymInt":
        return this.int();
      case "float":
      case "SymFloat":
        return this.float();
      case "Scalar":
      case "number":
        return this.next(2) === 0 ? this.int() : this.float();
      case "bool":
      case "SymBool":
        return { kind: "bool", value: this.next(2) === 0 };
      case "complex":
        return { kind: "complex", re: 1, im: -1 };
      case "str":
        return { kind: "string", value: this.pick(STRINGS) };
      case "ScalarType":
        return { kind: "dtype", value: this.pick(DTYPES_TRIED) };
      case "Layout":
        return { kind: "layout", value: this.pick(LAYOUTS) };
      case "MemoryFormat":
        return { kind: "memory_format", value: this.pick(MEMORY_FORMATS) };
      case "Device":
        return { kind: "device", value: this.next(4) === 0 ? "meta" : "cpu" };
      default:
        return { kind: "none" };
    }
  }
}
