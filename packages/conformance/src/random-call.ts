import { hostTensor, numel, type Value, viewAs } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { Arg, NamedArg, Node, Program, ValueType } from "@pt2/graph";
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
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const inputs: Value[] = [];
  const values = new Map<string, ValueType>();
  // Only operands with compatible shapes reach kernels; the others test the checks.
  const common = Array.from({ length: next(5) }, () => pick([1, 2, 3, 3, 4, 0]));
  const commonDType = pick(DTYPE_CHOICES);
  const tensor = (): Arg => {
    const shape = next(3) > 0 ? common : Array.from({ length: next(5) }, () => pick([1, 2, 3, 3, 5, 0]));
    const dtype = next(4) > 0 ? commonDType : pick(DTYPE_CHOICES);
    const name = `x${inputs.length}`;
    const { itemsize, kind } = DTYPES[dtype];
    const bytes = new Uint8Array(numel(shape) * itemsize);
    const data = viewAs(dtype, bytes);
    for (let i = 0; i < data.length; i++) {
      const number = kind === "bool" ? next(2) : next(40) === 0 ? 1000 : next(7) - (kind === "int" ? next(3) : 3);
      data[i] = typeof data[i] === "bigint" ? BigInt(number) : number;
    }
    if (dtype === "float16" || dtype === "bfloat16") for (let i = 0; i < data.length; i++) data[i] = next(0x7000);
    inputs.push(hostTensor(dtype, shape, data));
    values.set(name, tensorType(dtype, shape));
    return { kind: "value", name };
  };
  // Some numbers are literals in the program, others are inputs of the run.
  const given = (value: Value, kind: "symint" | "symfloat"): Arg => {
    const name = `x${inputs.push(value) - 1}`;
    values.set(name, { kind, value: null });
    return { kind: "value", name };
  };
  const int = (): Arg => {
    const value = next(3) === 0 ? pick(INTS) : next(4);
    return next(4) === 0 ? given(value, "symint") : { kind: "int", value };
  };
  const float = (): Arg => {
    const value = pick(FLOATS);
    return next(4) === 0 ? given(value, "symfloat") : { kind: "float", value };
  };
  const scalar = (): Arg => (next(2) === 0 ? int() : next(9) === 0 ? { kind: "bool", value: true } : float());
  const argument = (type: SchemaType): Arg => {
    if (type.kind === "optional") return next(3) === 0 ? { kind: "none" } : argument(type.inner);
    if (type.kind === "list") {
      const count = next(4) === 0 ? next(6) : (type.size ?? Math.max(1, common.length));
      return { kind: "list", items: Array.from({ length: count }, () => argument(type.inner)) };
    }
    switch (type.kind === "base" ? type.base : "") {
      case "Tensor":
        return tensor();
      case "int":
      case "SymInt":
        return int();
      case "Scalar":
      case "number":
        return scalar();
      case "float":
        return float();
      case "bool":
        return { kind: "bool", value: next(2) === 0 };
      case "str":
        return { kind: "string", value: pick(STRINGS) };
      case "ScalarType":
        return { kind: "dtype", value: pick(OTHER_DTYPES) };
      default:
        return { kind: "none" };
    }
  };
  const args: NamedArg[] = [];
  for (const { name, type, default: fallback } of record.schema.args) {
    if (fallback !== undefined && next(2) === 0) continue;
    args.push({ name, arg: argument(type) });
  }
  const results = record.schema.returns.map((_, i) => `y${i}`);
  const node: Node = {
    name: "call",
    op: record.name,
    args,
    outputs: record.schema.returns.map(({ type }, i) =>
      type.kind === "list"
        ? { kind: "list", names: [`${results[i]}.0`, `${results[i]}.1`] }
        : { kind: "value", name: results[i]! },
    ),
    origin: { line: "attack.py:1, in forward" },
  };
  const outputs: Arg[] = record.schema.returns.map(({ type }, i) => ({
    kind: "value",
    name: type.kind === "list" ? `${results[i]}.0` : results[i]!,
  }));
  const program: Program = {
    graph: { inputs: inputs.map((_, i) => `x${i}`), nodes: [node], outputs, values },
    inputs: inputs.map((_, i) => ({ kind: "user_input", value: `x${i}` })),
    outputs: outputs.map(() => ({ kind: "user_output" })),
    ranges: new Map(),
    inSpec: null,
    outSpec: null,
    namedTuples: new Map(),
    forwardArgs: [],
    dialect: "ATEN",
    torchVersion: "",
  };
  const text = `${record.name}(${args.map(({ name, arg }) => `${name}=${show(arg, values)}`).join(", ")})`;
  return { program, inputs, text };
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
