import { type TypedArray, viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { type ShaderFeatures, storageOf } from "../wgsl/storage.ts";

/** Converts elements to what the GPU stores. Values that do not fit are refused; `what` names their tensor. */
export function toGpu(
  dtype: DType,
  bytes: Uint8Array,
  what: string,
  features: ShaderFeatures,
): Uint8Array<ArrayBuffer> {
  if (isSame(dtype, features)) return bytes as Uint8Array<ArrayBuffer>;
  const from = viewAs(dtype, bytes);
  if (dtype === "int64" || dtype === "uint64") return bytesOf(narrowed(dtype, from as BigInt64Array, what));
  if (isDouble(dtype)) return bytesOf(Float32Array.from(from as Float64Array));
  if (isSmallFloat(dtype)) {
    const floats = new Float32Array(from.length);
    for (let i = 0; i < floats.length; i++) floats[i] = bitsToFloat(dtype, (from as Uint16Array)[i]!);
    return bytesOf(floats);
  }
  const { type } = storageOf(dtype, features);
  return bytesOf(type === "i32" ? Int32Array.from(from as Int8Array) : Uint32Array.from(from as Uint8Array));
}

/** Converts what {@link toGpu} made back to the dtype's own bytes. */
export function fromGpu(
  dtype: DType,
  bytes: Uint8Array<ArrayBuffer>,
  features: ShaderFeatures,
): Uint8Array<ArrayBuffer> {
  if (isSame(dtype, features)) return bytes;
  const { type } = storageOf(dtype, features);
  const from = viewAs(
    isDouble(dtype) || type === "f32" ? "float32" : type === "i32" ? "int32" : "uint32",
    bytes,
  ) as Int32Array;
  if (dtype === "int64") return bytesOf(widened(from));
  if (dtype === "uint64") return bytesOf(BigUint64Array.from(from, BigInt));
  if (isDouble(dtype)) return bytesOf(Float64Array.from(from));
  if (isSmallFloat(dtype)) {
    const bits = new (DTYPES[dtype].itemsize === 2 ? Uint16Array : Uint8Array)(from.length);
    for (let i = 0; i < bits.length; i++) bits[i] = floatToBits(dtype, from[i]!);
    return bytesOf(bits);
  }
  if (dtype === "int16") return bytesOf(Int16Array.from(from));
  if (dtype === "uint16") return bytesOf(Uint16Array.from(from));
  return bytesOf(dtype === "int8" ? Int8Array.from(from) : Uint8Array.from(from));
}

/** Whether elements are doubles, or complex numbers of doubles. */
function isDouble(dtype: DType): boolean {
  return dtype === "float64" || dtype === "complex128";
}

/** Whether the GPU stores elements unchanged. */
export function isSame(dtype: DType, { f16 }: ShaderFeatures): boolean {
  return ["float32", "int32", "uint32", "complex64"].includes(dtype) || (dtype === "float16" && f16);
}

function bytesOf(array: TypedArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
}

/** Returns the low words of 64-bit integers, whose high words must hold no more than the sign of an int64. */
function narrowed(dtype: "int64" | "uint64", values: BigInt64Array, what: string): Int32Array {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const out = new Int32Array(values.length);
  for (let i = 0; i < out.length; i++) {
    const low = words[2 * i]!;
    if (words[2 * i + 1] !== (dtype === "int64" ? low >> 31 : 0)) {
      throw webgpuError("webgpu.int64-range", {
        what: `${what} holds the ${dtype} ${values[i]}; on the GPU integers have 32 bits`,
        advice: `Keep integers ${dtype === "int64" ? "within ±2147483647" : "up to 4294967295"}, or use another backend.`,
        details: { index: i, value: String(values[i]) },
      });
    }
    out[i] = low;
  }
  return out;
}

function widened(values: Int32Array): BigInt64Array {
  const out = new BigInt64Array(values.length);
  const words = new Int32Array(out.buffer);
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = values[i]!;
    words[2 * i + 1] = values[i]! >> 31;
  }
  return out;
}
