import { elementsOf, type HostTensor, hostTensor, numel, viewAs } from "@pt2/backend";
import { contiguousStrides, DTYPES, type DType } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import { type Layout, type OpSample, tensorsOf, withTensors } from "./op-sample.ts";

/** A call that is checked: a sample as it was given, or one that follows from it. */
export interface Variant {
  /** What it is, for messages: `sample 0, transposed`. */
  readonly name: string;
  readonly sample: OpSample;
  readonly layout?: Layout;
  /** Whether the user gave the call or asked for its dtype: an op must then accept it. */
  readonly required: boolean;
}

/** The dtypes that samples are converted to unless the author names some. */
const DTYPES_TRIED: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int64",
  "int32",
  "uint8",
  "bool",
  "complex64",
];

const TRANSPOSED: Layout = {
  name: "transposed",
  geometry: (shape) => ({ strides: shape.map((_, d) => numel(shape.slice(0, d))), offset: 0 }),
};

const STRIDED: Layout = {
  name: "strided",
  geometry: (shape) => ({ strides: contiguousStrides(shape).map((stride) => 2 * stride), offset: 1 }),
};

/** Every element along the first dimension that is larger than 1 is the same one. */
const EXPANDED: Layout = {
  name: "expanded",
  geometry(shape) {
    const at = shape.findIndex((size) => size > 1);
    return { strides: contiguousStrides(shape.with(at, 1)).map((stride, d) => (d === at ? 0 : stride)), offset: 0 };
  },
};

/** Returns the calls to check for one sample, the sample itself first. */
export function variantsOf(sample: OpSample, index: number, dtypes: readonly DType[] | undefined): readonly Variant[] {
  const tensors = tensorsOf(sample);
  const found: Variant[] = [{ name: `sample ${index}`, sample, required: true }];
  const add = (what: string, changed: OpSample, rest: Partial<Variant> = {}): void => {
    found.push({ name: `sample ${index}, ${what}`, sample: changed, required: false, ...rest });
  };
  const hasElements = tensors.some(({ shape }) => numel(shape) > 1);
  const required = true;
  if (tensors.some(({ shape }) => shape.filter((size) => size > 1).length > 1 && numel(shape) > 0)) {
    add("transposed", sample, { layout: TRANSPOSED, required });
  }
  if (hasElements) {
    add("strided", sample, { layout: STRIDED, required });
    add("expanded", withTensors(sample, repeated), { layout: layoutWhereRepeats, required });
  }
  for (const size of sizesOf(tensors)) add(`empty where the size was ${size}`, withTensors(sample, emptied(size)));
  if (tensors.some(({ shape }) => shape.length > 0) && tensors.every(({ shape }) => numel(shape) > 0)) {
    add("0-d", withTensors(sample, first));
    if (tensors.length > 1) {
      for (const at of tensors.keys()) add(`0-d operand ${at}`, only(sample, at, first));
      for (const at of tensors.keys()) add(`broadcast operand ${at}`, only(sample, at, oneRow));
    }
  }
  for (const each of inDtypes(sample, dtypes)) add(each.what, each.sample, { required: each.required });
  return found;
}

/** Returns a sample with its floats in float64; null if it has none. */
export function inFloat64(sample: OpSample): OpSample | null {
  if (!tensorsOf(sample).some(({ dtype }) => DTYPES[dtype].kind === "float")) return null;
  return withTensors(sample, (tensor) => (DTYPES[tensor.dtype].kind === "float" ? cast(tensor, "float64") : tensor));
}

/** Converts a tensor. Floats are scaled for integers, so that not all become 0, and negative ones become positive. */
function cast(tensor: HostTensor, to: DType): HostTensor {
  const { dtype, shape, data } = tensor;
  if (dtype === to) return tensor;
  const at = elementsOf(dtype, data);
  const isWhole = DTYPES[to].kind === "int" || DTYPES[to].kind === "uint";
  const isFloat = DTYPES[dtype].kind === "float";
  const elements = Array.from({ length: numel(shape) }, (_, i) => {
    const element = at(i);
    const number = Number(typeof element === "object" ? element[0] : element);
    if (to === "bool") return isFloat ? number > 0 : number !== 0;
    if (!isWhole) return number;
    const scaled = isFloat ? Math.round(number * 8) : number;
    return DTYPES[to].kind === "uint" ? Math.abs(scaled) : scaled;
  });
  return tensorOf(to, shape, elements);
}

/** Makes a tensor of elements, which are converted to its dtype; of a complex one they are the real parts. */
export function tensorOf(
  dtype: DType,
  shape: readonly number[],
  elements: readonly (number | bigint | boolean)[],
): HostTensor {
  const { kind, itemsize } = DTYPES[dtype];
  if (kind === "complex") {
    const parts = elements.flatMap((element) => [Number(element), -0.5 * Number(element)]);
    return hostTensor(dtype, shape, dtype === "complex128" ? Float64Array.from(parts) : Float32Array.from(parts));
  }
  if (kind === "float" && itemsize < 8) return hostTensor(dtype, shape, Float32Array.from(elements, Number));
  const data = viewAs(dtype, new Uint8Array(numel(shape) * itemsize));
  for (const [i, element] of elements.entries()) {
    const value = convert(dtype, element);
    data[i] = typeof value === "bigint" ? value : Number(value);
  }
  return hostTensor(dtype, shape, data);
}

/** The sizes that are emptied, each for itself; 1 only if there is no other. */
function sizesOf(tensors: readonly HostTensor[]): readonly number[] {
  const sizes = [...new Set(tensors.flatMap(({ shape }) => shape))].filter((size) => size > 0);
  const larger = sizes.filter((size) => size > 1);
  return larger.length > 0 ? larger : sizes;
}

function emptied(size: number): (tensor: HostTensor) => HostTensor {
  return (tensor) => {
    if (!tensor.shape.includes(size)) return tensor;
    const shape = tensor.shape.map((each) => (each === size ? 0 : each));
    return tensorOf(tensor.dtype, shape, []);
  };
}

/** The first element, as a tensor without dimensions. */
function first(tensor: HostTensor): HostTensor {
  return picked(tensor, [], [0]);
}

/** The first entry along the first dimension, which stays with size 1. */
function oneRow(tensor: HostTensor): HostTensor {
  const { shape } = tensor;
  if (shape.length === 0) return tensor;
  const row = shape.with(0, 1);
  return picked(tensor, row, [...Array(numel(row)).keys()]);
}

/** The tensor as {@link EXPANDED} can lay it out: its first entry, repeated. */
function repeated(tensor: HostTensor): HostTensor {
  const { shape } = tensor;
  if (numel(shape) < 2) return tensor;
  const at = shape.findIndex((size) => size > 1);
  const inner = numel(shape.slice(at + 1));
  return picked(
    tensor,
    shape,
    [...Array(numel(shape)).keys()].map((i) => i % inner),
  );
}

/** An expanded layout for each tensor that has more than one element. */
const layoutWhereRepeats: Layout = {
  name: "expanded",
  geometry: (shape) => (numel(shape) > 1 ? EXPANDED.geometry(shape) : { strides: contiguousStrides(shape), offset: 0 }),
};

function picked({ dtype, bytes }: HostTensor, shape: readonly number[], from: readonly number[]): HostTensor {
  const { itemsize } = DTYPES[dtype];
  const chosen = new Uint8Array(from.length * itemsize);
  for (const [i, at] of from.entries()) {
    chosen.set(bytes.subarray(at * itemsize, (at + 1) * itemsize), i * itemsize);
  }
  return hostTensor(dtype, shape, viewAs(dtype, chosen));
}

function only(sample: OpSample, at: number, change: (tensor: HostTensor) => HostTensor): OpSample {
  return withTensors(sample, (tensor, i) => (i === at ? change(tensor) : tensor));
}

/** The sample in other dtypes: what has the dtype of its first float tensor is converted, indices stay. */
function inDtypes(
  sample: OpSample,
  named: readonly DType[] | undefined,
): readonly { readonly what: string; readonly sample: OpSample; readonly required: boolean }[] {
  const tensors = tensorsOf(sample);
  const own = (tensors.find(({ dtype }) => DTYPES[dtype].kind === "float") ?? tensors[0])?.dtype;
  if (own === undefined || (named === undefined && DTYPES[own].kind !== "float")) return [];
  const converted = (to: DType): OpSample => withTensors(sample, (t) => (t.dtype === own ? cast(t, to) : t));
  const all = (named ?? DTYPES_TRIED)
    .filter((dtype) => dtype !== own)
    .map((dtype) => ({ what: `in ${dtype}`, sample: converted(dtype), required: named !== undefined }));
  const same = [...tensors.keys()].filter((i) => tensors[i]!.dtype === own);
  if (named !== undefined || same.length < 2) return all;
  const mixed = same.flatMap((at) =>
    (["float64", "int64"] as const)
      .filter((dtype) => dtype !== own)
      .map((dtype) => ({
        what: `operand ${at} in ${dtype}`,
        sample: only(sample, at, (tensor) => cast(tensor, dtype)),
        required: false,
      })),
  );
  return [...all, ...mixed];
}
