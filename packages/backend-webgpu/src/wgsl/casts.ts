import { DTYPES, type DType } from "@pt2/format";
import { embeds } from "@pt2/registry/scalar";
import { computeType, fitExpr } from "./storage.ts";

/**
 * Returns the WGSL of a conversion as `Tensor.to` does it on x86, given that of the value. An int64 is 32 bits, and
 * so is a uint64: values of a float or an unsigned integer beyond them saturate.
 */
export function castExpr(from: DType, to: DType, code: string): string {
  const target = computeType(to);
  const source = computeType(from);
  if (source === target) return embeds(from, to) || DTYPES[to].itemsize === 8 ? code : fitExpr(to, code);
  if (target === "bool") return source === "f32" ? `is_true(${code})` : `(${code} != 0)`;
  if (to === "int64" && source === "u32") return `i32(min(${code}, 2147483647u))`;
  if (source !== "f32") return fitExpr(to, `${target}(${code})`);
  // Up to int32 a float goes through a signed 32-bit conversion; the other integers go through a signed 64-bit one.
  if (to === "int64") return `i64_from_f32(${code})`;
  if (to === "uint32" || to === "uint64") return `u32_from_f32(${code})`;
  const whole = `i32_from_f32(${code})`;
  return fitExpr(to, DTYPES[to].kind === "uint" && target === "u32" ? `u32(${whole})` : whole);
}
