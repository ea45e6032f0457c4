import { hostTensor, numel, type Value, viewAs } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { Arg, NamedArg, Node, Output, Program, ValueType } from "@pt2/graph";
import { bareProgram } from "@pt2/graph/passes";
import type { OpRecord } from "@pt2/registry";

type SchemaType = OpRecord["schema"]["args"][number]["type"];

/** A program of one call, with inputs for it. */
export interface RandomCall {
  readonly program: Program;
  readonly inputs: readonly Value[];
  /** The call as text, for messages. */
  readonly text: string;
}

const DTYPE_CHOICES: readonly DType[] = [
  "float32",
  "float32",
  "float32",
  "float32",
  "int64",
  "int64",
  "bool",
  "int32",
  "float64",
  "float16",
  "bfloat16",
  "uint8",
  "complex64",
];
const INTS: readonly (number | bigint)[] = [-1, -2, 4, 5, 7, 100, 65536, 2 ** 31, 2 ** 40, 2n ** 62n, -(2 ** 33)];
const FLOATS: readonly number[] = [0.5, 1, -1, 0, 1e30, Number.NaN, Number.POSITIVE_INFINITY];
const STRINGS: readonly string[] = [
  "none",
  "mean",
  "sum",
  "tanh",
  "same",
  "valid",
  "amax",
  "prod",
  "floor",
  "ij,jk->ik",
];
const OTHER_DTYPES: readonly DType[] = ["float32", "int64", "bool", "float64", "complex64", "float16"];

/**
 * Makes a call of `record` with random arguments of the types in its schema, many of them edge cases or invalid values;
 * `next` draws integers below a bound.
 */
export function randomCall(record: OpRecord, next: (bound: number) => number): RandomCall {
  const given = new RandomArguments(next);
  const args: NamedArg[] = [];
  for (const { name, type, default: fallback } of record.schema.args) {
    if (fallback !== undefined && next(2) === 0) continue;
    args.push({ name, arg: given.argument(type) });
  }
  const results = record.schema.returns.map(({ type }, i) =>
    type.kind === "list" ? [`y${i}.0`, `y${i}.1`] : [`y${i}`],
  );
  const outputs = results.map(
    (names): Output => (names.length > 1 ? { kind: "list", names } : { kind: "value", name: names[0]! }),
  );
  const returned = results.map(([name]): Arg => ({ kind: "value", name: name! }));
  const node: Node = { name: "call", op: record.name, args, outputs, origin: { line: "attack.py:1, in forward" } };
  const { inputs, values } = given;
  const program = bareProgram({ inputs: [...values.keys()], nodes: [node], outputs: returned, values });
  const text = `${record.name}(${args.map(({ name, arg }) => `${name}=${show(arg, values)}`).join(", ")})`;
  return { program, inputs, text };
}

/** Draws arguments, and collects the inputs that they refer to. */
class RandomArguments {
  readonly inputs: Value[] = [];
  readonly values = new Map<string, ValueType>();
  readonly #next: (bound: number) => number;
  /** Only operands with compatible shapes reach kernels; the others test the checks. */
  readonly #common: readonly number[];
  readonly #commonDType: DType;

  constructor(next: (bound: number) => number) {
    this.#next = next;
    this.#common = Array.from({ length: next(5) }, () => this.#pick([1, 2, 3, 3, 4, 0]));
    this.#commonDType = this.#pick(DTYPE_CHOICES);
  }

  argument(type: SchemaType): Arg {
    const next = this.#next;
    if (type.kind === "optional") return next(3) === 0 ? { kind: "none" } : this.argument(type.inner);
    if (type.kind === "list") {
      const count = next(4) === 0 ? next(6) : (type.size ?? Math.max(1, this.#common.length));
      return { kind: "list", items: Array.from({ length: count }, () => this.argument(type.inner)) };
    }
    switch (type.kind === "base" ? type.base : "") {
      case "Tensor":
        return this.#tensor();
      case "int":
      case "SymInt":
        return this.#int();
      case "Scalar":
      case "number":
        if (next(2) === 0) return this.#int();
        return next(9) === 0 ? { kind: "bool", value: true } : this.#float();
      case "float":
        return this.#float();
      case "bool":
        return { kind: "bool", value: next(2) === 0 };
      case "str":
        return { kind: "string", value: this.#pick(STRINGS) };
      case "ScalarType":
        return { kind: "dtype", value: this.#pick(OTHER_DTYPES) };
      default:
        return { kind: "none" };
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#next(list.length)]!;
  }

  #tensor(): Arg {
    const next = this.#next;
    const shape = next(3) > 0 ? this.#common : Array.from({ length: next(5) }, () => this.#pick([1, 2, 3, 3, 5, 0]));
    const dtype = next(4) > 0 ? this.#commonDType : this.#pick(DTYPE_CHOICES);
    const { itemsize, kind } = DTYPES[dtype];
    const data = viewAs(dtype, new Uint8Array(numel(shape) * itemsize));
    for (let i = 0; i < data.length; i++) {
      const number = kind === "bool" ? next(2) : next(40) === 0 ? 1000 : next(7) - (kind === "int" ? next(3) : 3);
      data[i] = typeof data[i] === "bigint" ? BigInt(number) : number;
    }
    if (dtype === "float16" || dtype === "bfloat16") for (let i = 0; i < data.length; i++) data[i] = next(0x7000);
    return this.#given(hostTensor(dtype, shape, data), tensorType(dtype, shape));
  }

  #int(): Arg {
    const value = this.#next(3) === 0 ? this.#pick(INTS) : this.#next(4);
    return this.#number({ kind: "int", value }, "symint");
  }

  #float(): Arg {
    return this.#number({ kind: "float", value: this.#pick(FLOATS) }, "symfloat");
  }

  /** Some numbers are literals in the program, others are inputs of the run. */
  #number(literal: Arg & { readonly kind: "int" | "float" }, kind: "symint" | "symfloat"): Arg {
    return this.#next(4) === 0 ? this.#given(literal.value, { kind, value: null }) : literal;
  }

  #given(value: Value, type: ValueType): Arg {
    const name = `x${this.inputs.push(value) - 1}`;
    this.values.set(name, type);
    return { kind: "value", name };
  }
}

function tensorType(dtype: DType, shape: readonly number[]): ValueType {
  const strides = shape.map((_, i) => numel(shape.slice(i + 1)));
  const device = { type: "cpu", index: null };
  return { kind: "tensor", dtype, shape, strides, storageOffset: 0, device, requiresGrad: false };
}

function show(arg: Arg, values: ReadonlyMap<string, ValueType>): string {
  if (arg.kind === "list") return `[${arg.items.map((item) => show(item, values)).join(", ")}]`;
  if (arg.kind === "value") {
    const type = values.get(arg.name);
    return type?.kind === "tensor" ? `${type.dtype}[${type.shape.join(", ")}]` : `${type?.kind ?? arg.name}`;
  }
  return "value" in arg ? String(arg.value) : arg.kind;
}
