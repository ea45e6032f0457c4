import { numel, viewAs } from "@pt2/backend";
import type { Addon } from "@pt2/backend-libtorch/node";
import { DTYPES, type DType } from "@pt2/format";
import type { ArgSpec, CallSpec, Fill, Form, TensorSpec } from "./call-spec.ts";

type NativeArg = Parameters<Addon["callSync"]>[1][number];
type NativeArgValue = NativeArg["value"];
type NativeTensor = ReturnType<Addon["tensor"]>;

/** Makes new arguments for a call, since ops may write to them. */
export function buildArgs(addon: Addon, { args }: CallSpec): readonly NativeArg[] {
  return Object.entries(args).map(([name, arg]) => ({ name, value: build(addon, arg) }));
}

function build(addon: Addon, arg: ArgSpec): NativeArgValue {
  switch (arg.kind) {
    case "tensor":
      return { kind: "tensor", tensor: buildTensor(addon, arg) };
    case "int":
      return { kind: "int", value: BigInt(arg.value) };
    case "float":
      return { kind: "float", value: Number(arg.value) };
    case "list":
      return { kind: "list", items: arg.items.map((item) => build(addon, item)) };
    default:
      return arg;
  }
}

/** A spec that cannot be built, such as a sparse tensor of no dimensions, is built as a dense one. */
function buildTensor(addon: Addon, spec: TensorSpec): NativeTensor {
  const dense = strided(addon, spec.form === "quantized" ? { ...spec, dtype: "uint8" } : spec);
  const [op, extra] = CONVERSIONS[spec.form] ?? [];
  if (op === undefined) return dense;
  try {
    const value = { kind: "tensor", tensor: dense } as const;
    const [made] = addon.callSync(op, [{ name: "self", value }, ...(extra ?? [])]);
    return made as NativeTensor;
  } catch {
    return dense;
  }
}

const CONVERSIONS: Readonly<Partial<Record<Form, readonly [op: string, extra: readonly NativeArg[]]>>> = {
  sparse: ["aten::to_sparse", []],
  csr: ["aten::to_sparse_csr", []],
  mkldnn: ["aten::to_mkldnn", []],
  quantized: [
    "aten::_make_per_tensor_quantized_tensor",
    [
      { name: "scale", value: { kind: "float", value: 0.5 } },
      { name: "zero_point", value: { kind: "int", value: 1 } },
    ],
  ],
};

function strided(addon: Addon, { dtype, shape, fill, form }: TensorSpec): NativeTensor {
  const dense = shape.map((_, dim) => numel(shape.slice(dim + 1)));
  const [strides, storageOffset, count] = layoutOf(form, shape, dense);
  const bytes = new Uint8Array(Math.max(count, 1) * DTYPES[dtype].itemsize);
  fillBytes(dtype, bytes, fill);
  return addon.tensor(addon.storage(bytes), { dtype, shape, strides, storageOffset }, "cpu");
}

function layoutOf(
  form: Form,
  shape: readonly number[],
  dense: readonly number[],
): readonly [strides: readonly number[], offset: number, elements: number] {
  switch (form) {
    case "transposed":
      return [shape.map((_, dim) => numel(shape.slice(0, dim))), 0, numel(shape)];
    case "expanded":
      return [shape.map(() => 0), 0, 1];
    case "sliced":
      return [dense.map((stride) => stride * 2), 1, numel(shape) * 2 + 1];
    default:
      return [dense, 0, numel(shape)];
  }
}

function fillBytes(dtype: DType, bytes: Uint8Array, fill: Fill): void {
  const { kind } = DTYPES[dtype];
  if (kind === "bool") {
    bytes.fill(fill === "zeros" ? 0 : 1);
  } else if (dtype === "float16" || dtype === "bfloat16") {
    new Uint16Array(bytes.buffer).fill(HALVES[fill]);
  } else {
    const elements = viewAs(dtype, bytes);
    const integral = kind === "int" || kind === "uint";
    for (let i = 0; i < elements.length; i++) {
      const value = integral ? integerOf(fill, i) : floatOf(fill, i);
      elements[i] = typeof elements[i] === "bigint" ? BigInt(value) : Number(value);
    }
  }
}

/** Bits that are a number in both 16-bit formats. */
const HALVES: Readonly<Record<Fill, number>> = {
  zeros: 0,
  ones: 0x3f80,
  small: 0x3f80,
  ordered: 0x3f00,
  negative: 0xbf80,
  huge: 0x7bff,
  edge: 0x7fff,
};

function integerOf(fill: Fill, i: number): number | bigint {
  switch (fill) {
    case "zeros":
      return 0;
    case "ones":
      return 1;
    case "small":
      return i % 4;
    case "ordered":
      return i;
    case "negative":
      return -1 - (i % 5);
    case "huge":
      return 2 ** 38 + i;
    case "edge":
      return i % 2 === 0 ? 2n ** 63n - 1n : -(2n ** 63n);
  }
}

function floatOf(fill: Fill, i: number): number {
  switch (fill) {
    case "zeros":
      return 0;
    case "ones":
      return 1;
    case "small":
      return (i % 4) * 0.5;
    case "ordered":
      return i;
    case "negative":
      return -1 - (i % 5);
    case "huge":
      return 1e30 * (1 + (i % 3));
    case "edge":
      return [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0][i % 4]!;
  }
}
