import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";

/** Smallest and largest value of a dtype that quantised numbers may have. Of floats the ends are those of PyTorch's `finfo`. */
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

/** Dtypes that `quantized_decomposed` and torchao know, in their order. */
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

/** Refuses a range that the dtype does not have, as both libraries do. Returns it, with the dtype's ends where none is given. */
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

/** The largest value of a float8 dtype. */
export function largestOf(dtype: DType): number {
  const range = RANGES[dtype];
  check(range !== undefined && dtype.startsWith("float8"), () => `Unsupported dtype: ${dtype}`);
  return range[1];
}
