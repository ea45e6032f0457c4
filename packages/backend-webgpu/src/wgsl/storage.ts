import type { DType } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";

/** Optional features of a device that shaders use. */
export interface ShaderFeatures {
  /** Whether `shader-f16` is enabled: float16 is stored in 16 bits. */
  readonly f16: boolean;
}

/** The type of a tensor's elements in memory. */
export interface Storage {
  readonly type: "f32" | "f16" | "i32" | "u32" | "vec2<f32>";
  readonly bytes: 2 | 4 | 8;
}

/** The type of a value in an expression; a complex number is its two parts. */
export type ComputeType = "f32" | "i32" | "u32" | "bool" | "vec2<f32>";

const COMPUTE: { readonly [D in DType]?: ComputeType } = {
  float32: "f32",
  float64: "f32",
  float16: "f32",
  bfloat16: "f32",
  float8_e4m3fn: "f32",
  float8_e5m2: "f32",
  int64: "i32",
  int32: "i32",
  int16: "i32",
  int8: "i32",
  uint8: "i32",
  uint16: "u32",
  uint32: "u32",
  uint64: "u32",
  bool: "bool",
  complex64: "vec2<f32>",
  complex128: "vec2<f32>",
};

/** Returns the WGSL type of a dtype's values in computations: every float is f32, small integers are wide ones. */
export function computeType(dtype: DType): ComputeType {
  const type = COMPUTE[dtype];
  if (type !== undefined) return type;
  throw webgpuError("webgpu.dtype", {
    what: `The GPU cannot hold tensors of dtype ${dtype}`,
    advice: "Convert them in the program, or use another backend.",
  });
}

/**
 * Returns the WGSL type of a dtype's elements in memory. Bools are 0 or 1; a dtype narrower than its type holds no
 * other values.
 */
export function storageOf(dtype: DType, { f16 }: ShaderFeatures): Storage {
  if (dtype === "float16" && f16) return { type: "f16", bytes: 2 };
  const type = computeType(dtype);
  if (type === "vec2<f32>") return { type, bytes: 8 };
  return { type: type === "bool" ? "u32" : type, bytes: 4 };
}

/** Returns the value of an element, given the WGSL that reads it. */
export function loadExpr(dtype: DType, code: string): string {
  if (dtype === "bool") return `(${code} != 0u)`;
  return dtype === "float16" ? `f32(${code})` : code;
}

/** Helpers that return the nearest value of a dtype, where its compute type has more values. */
const FIT: { readonly [D in DType]?: string } = {
  float16: "round_f16",
  bfloat16: "round_bf16",
  float8_e4m3fn: "round_e4m3fn",
  float8_e5m2: "round_e5m2",
  int16: "wrap_i16",
  int8: "wrap_i8",
  uint8: "wrap_u8",
  uint16: "wrap_u16",
};

/**
 * Returns the WGSL of a computed value as the dtype has it: rounded, or wrapped to its width. Names helpers.
 */
export function fitExpr(dtype: DType, code: string): string {
  const helper = FIT[dtype];
  return helper === undefined ? code : `${helper}(${code})`;
}

/**
 * Returns the WGSL that is written to memory for a value that the dtype has, such as the result of a scalar function.
 */
export function exactStoreExpr(dtype: DType, code: string, { f16 }: ShaderFeatures): string {
  if (dtype === "bool") return `u32(${code})`;
  return dtype === "float16" && f16 ? `f16(${code})` : code;
}

/** Returns the WGSL that is written to memory for any computed value. Names helpers. */
export function storeExpr(dtype: DType, code: string, features: ShaderFeatures): string {
  return exactStoreExpr(dtype, fitExpr(dtype, code), features);
}
