import { numel, viewAs } from "@pt2/backend";
import { forEachOffset } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import { bytesOf } from "../ops/case-data.ts";
import type { CaseArg, CaseTensor, OpCase } from "../ops/case-types.ts";

/**
 * A difference between a call and the case it is made from; `scripts/python/variations.py` applies the same difference
 * in PyTorch.
 */
export type Variation =
  | readonly [kind: "element", tensor: number, position: number, value: string]
  | readonly [kind: "tensor", tensor: number, how: Reshaping | DType]
  | readonly [kind: "arg", name: string, value: CaseArg]
  | readonly [kind: "item", name: string, position: number, value: CaseArg]
  | readonly [kind: "short" | "long", name: string]
  | readonly [kind: "unchanged"];

type Reshaping = "unsqueezed" | "first" | "flat" | "taller" | "wider" | "empty";

/** Applies a variation to a case. */
export function varyCase(opCase: OpCase, variation: Variation): OpCase {
  const { tensors, args } = opCase;
  const list = (name: string): readonly CaseArg[] => args[name] as readonly CaseArg[];
  const give = (name: string, value: CaseArg): OpCase => ({ ...opCase, args: { ...args, [name]: value } });
  switch (variation[0]) {
    case "unchanged":
      return opCase;
    case "element":
      return { ...opCase, tensors: tensors.with(variation[1], withElement(tensors[variation[1]]!, variation)) };
    case "tensor":
      return { ...opCase, tensors: tensors.with(variation[1], reshaped(tensors[variation[1]]!, variation[2])) };
    case "arg":
      return give(variation[1], variation[2]);
    case "item":
      return give(variation[1], list(variation[1]).with(variation[2], variation[3]));
    case "short":
      return give(variation[1], list(variation[1]).slice(0, -1));
    case "long":
      return give(variation[1], [...list(variation[1]), list(variation[1]).at(-1)!]);
  }
}

/** Formats a variation as the name of a test. */
export function showVariation([kind, ...rest]: Variation): string {
  return [kind, ...rest.map((part) => (typeof part === "string" ? part : JSON.stringify(part)))].join(" ");
}

function withElement(
  tensor: CaseTensor,
  [, , position, value]: Extract<Variation, readonly ["element", ...unknown[]]>,
): CaseTensor {
  const { dtype, shape } = tensor;
  const bytes = rowMajorBytes(tensor);
  if (dtype === "int64") new BigInt64Array(bytes.buffer)[position] = BigInt(value);
  else new Int32Array(bytes.buffer)[position] = Number(value);
  return { dtype, shape, data: encoded(bytes) };
}

function reshaped(tensor: CaseTensor, how: Reshaping | DType): CaseTensor {
  const { dtype, shape } = tensor;
  const bytes = rowMajorBytes(tensor);
  const data = encoded(bytes);
  switch (how) {
    case "unsqueezed":
      return { dtype, shape: [1, ...shape], data };
    case "flat":
      return { dtype, shape: [numel(shape)], data };
    case "empty":
      return { dtype, shape: [0], data: "" };
    case "first":
      return { dtype, shape: shape.slice(1), data: encoded(bytes.slice(0, bytes.length / shape[0]!)) };
    case "taller":
      return { dtype, shape: [2 * shape[0]!, ...shape.slice(1)], data: encoded(repeated(bytes, bytes.length)) };
    case "wider": {
      const row = shape.at(-1)! * DTYPES[dtype].itemsize;
      return { dtype, shape: [...shape.slice(0, -1), 2 * shape.at(-1)!], data: encoded(repeated(bytes, row)) };
    }
    default:
      return { dtype: how, shape, data: encoded(ones(how, numel(shape))) };
  }
}

/** Returns the elements in row-major order, without strides. */
function rowMajorBytes(tensor: CaseTensor): Uint8Array<ArrayBuffer> {
  const { dtype, shape, strides, offset = 0 } = tensor;
  const bytes = new Uint8Array(bytesOf(tensor));
  if (strides === undefined) return bytes;
  const size = DTYPES[dtype].itemsize;
  const dense = new Uint8Array(numel(shape) * size);
  let to = 0;
  forEachOffset({ shape, strides }, (at) => {
    dense.set(bytes.subarray((offset + at) * size, (offset + at + 1) * size), to);
    to += size;
  });
  return dense;
}

/** Repeats every piece of `piece` bytes once. */
function repeated(bytes: Uint8Array, piece: number): Uint8Array {
  const result = new Uint8Array(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += piece) {
    const part = bytes.subarray(at, at + piece);
    result.set(part, 2 * at);
    result.set(part, 2 * at + piece);
  }
  return result;
}

function ones(dtype: DType, count: number): Uint8Array {
  const bytes = new Uint8Array(count * DTYPES[dtype].itemsize);
  const array = viewAs(dtype, bytes);
  const step = DTYPES[dtype].kind === "complex" ? 2 : 1;
  for (let i = 0; i < array.length; i += step) array[i] = dtype === "int64" ? (1n as never) : 1;
  return bytes;
}

function encoded(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
