import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";

/** The smallest and the largest quantized value of a dtype. Those of floats are the ones of PyTorch's `finfo`. */
const RANGES: { readonly [D in DType]?: readonly [min: number, max: number] } = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
  int32: [-2147483648, 2147483647],
  float8_e5m2: [-57344, 57344],
  float8_e4m3fn: [-448, 448],
  float8_e5m2fnuz: [-57344, 57344],
  float8_e4m3fnuz: [-240, 240],
};

/** The dtypes that `quantized_decomposed` and torchao support, in their order. */
export const DECOMPOSED: readonly DType[] = [
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "float8_e5m2",
  "float8_e4m3fn",
];
export const TORCHAO: readonly DType[] = [
  "uint8",
  "int8",
  "int16",
  "int32",
  "float8_e4m3fn",
  "float8_e5m2",
  "float8_e4m3fnuz",
  "float8_e5m2fnuz",
];

/**
 * Checks that a range is one of the dtype, as both libraries do, and returns it; missing ends are those of the dtype.
 */
export function quantRange(
  dtype: DType,
  min: number | null,
  max: number | null,
  known: readonly DType[],
): readonly [min: number, max: number] {
  check(known.includes(dtype), () => `Unsupported dtype: ${dtype}`);
  const [least, most] = RANGES[dtype]!;
  const [low, high] = [min ?? least, max ?? most];
  check(low >= least, () => `quant_min out of bounds for ${dtype}: it is at least ${least}, and given as ${low}`);
  check(high <= most, () => `quant_max out of bounds for ${dtype}: it is at most ${most}, and given as ${high}`);
  return [low, high];
}

/** Returns the largest value of a float8 dtype. */
export function largestOf(dtype: DType): number {
  const range = RANGES[dtype];
  check(range !== undefined && dtype.startsWith("float8"), () => `Unsupported dtype: ${dtype}`);
  return range[1];
}
