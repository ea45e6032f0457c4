import { DTYPES, type DType } from "@pt2/format";

/** The numbers of c10, which schema defaults use; program files use other ones. */
export const C10_DTYPES: Readonly<Record<number, DType>> = {
  0: "uint8",
  1: "int8",
  2: "int16",
  3: "int32",
  4: "int64",
  5: "float16",
  6: "float32",
  7: "float64",
  8: "complex32",
  9: "complex64",
  10: "complex128",
  11: "bool",
  15: "bfloat16",
  23: "float8_e5m2",
  24: "float8_e4m3fn",
  25: "float8_e5m2fnuz",
  26: "float8_e4m3fnuz",
  27: "uint16",
  28: "uint32",
  29: "uint64",
  44: "float8_e8m0fnu",
};

export const MEMORY_FORMATS: readonly string[] = [
  "contiguous_format",
  "preserve_format",
  "channels_last",
  "channels_last_3d",
];
export const LAYOUTS: readonly string[] = [
  "strided",
  "sparse_coo",
  "sparse_csr",
  "_mkldnn",
  "sparse_csc",
  "sparse_bsr",
  "sparse_bsc",
];
const DTYPE_ALIASES: Readonly<Record<string, DType>> = {
  half: "float16",
  float: "float32",
  double: "float64",
  short: "int16",
  int: "int32",
  long: "int64",
  cfloat: "complex64",
  cdouble: "complex128",
};
const REDUCTIONS = ["None", "Mean", "Sum"];

/**
 * Returns the name of the enum member that PyTorch prints as a number. Returns undefined for a number that is not a
 * member.
 */
export function enumName(base: string, number: number): string | undefined {
  if (base === "ScalarType") return C10_DTYPES[number];
  if (base === "MemoryFormat") return MEMORY_FORMATS[number];
  if (base === "Layout") return LAYOUTS[number];
  return undefined;
}

/**
 * Returns a default that is written as a word: `long`, `contiguous_format`, `Mean`. Returns undefined if the type has
 * no such member.
 */
export function enumWord(base: string, word: string): string | number | undefined {
  if (base === "ScalarType") return DTYPE_ALIASES[word] ?? (word in DTYPES ? word : undefined);
  if (base === "MemoryFormat") return MEMORY_FORMATS.includes(word) ? word : undefined;
  if (base === "Layout") return LAYOUTS.includes(word) ? word : undefined;
  if (base === "Device") return word;
  const reduction = REDUCTIONS.indexOf(word);
  return base === "int" && reduction >= 0 ? reduction : undefined;
}
