/** The kind of number that a dtype holds. */
export type DTypeKind = "bool" | "int" | "uint" | "float" | "complex";

/** Properties of a dtype. */
export interface DTypeInfo {
  /** Bytes per element. */
  readonly itemsize: number;
  /** The dtype's number in the program schema, which differs from c10's. */
  readonly schema: number;
  /** The dtype's name in safetensors files, or null where that format has none. */
  readonly safetensors: string | null;
  readonly kind: DTypeKind;
}

function info<S extends string | null>(itemsize: number, schema: number, safetensors: S, kind: DTypeKind): DTypeInfo {
  return { itemsize, schema, safetensors, kind };
}

/** Every dtype a program can use, by PyTorch's name. */
export const DTYPES: Readonly<Record<DType, DTypeInfo>> = {
  uint8: info(1, 1, "U8", "uint"),
  int8: info(1, 2, "I8", "int"),
  int16: info(2, 3, "I16", "int"),
  int32: info(4, 4, "I32", "int"),
  int64: info(8, 5, "I64", "int"),
  float16: info(2, 6, "F16", "float"),
  float32: info(4, 7, "F32", "float"),
  float64: info(8, 8, "F64", "float"),
  complex32: info(4, 9, null, "complex"),
  complex64: info(8, 10, "C64", "complex"),
  complex128: info(16, 11, null, "complex"),
  bool: info(1, 12, "BOOL", "bool"),
  bfloat16: info(2, 13, "BF16", "float"),
  uint16: info(2, 28, "U16", "uint"),
  float8_e4m3fn: info(1, 29, "F8_E4M3", "float"),
  float8_e5m2: info(1, 30, "F8_E5M2", "float"),
  float8_e4m3fnuz: info(1, 31, "F8_E4M3FNUZ", "float"),
  float8_e5m2fnuz: info(1, 32, "F8_E5M2FNUZ", "float"),
  float8_e8m0fnu: info(1, 33, "F8_E8M0", "float"),
  uint32: info(4, 34, "U32", "uint"),
  uint64: info(8, 35, "U64", "uint"),
};

/** PyTorch's dtype names. */
export type DType =
  | "uint8"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "float16"
  | "float32"
  | "float64"
  | "complex32"
  | "complex64"
  | "complex128"
  | "bool"
  | "bfloat16"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float8_e4m3fn"
  | "float8_e5m2"
  | "float8_e4m3fnuz"
  | "float8_e5m2fnuz"
  | "float8_e8m0fnu";

/** Dtypes by schema number, with holes. */
const BY_SCHEMA: readonly (DType | undefined)[] = (Object.keys(DTYPES) as DType[]).reduce<(DType | undefined)[]>(
  (table, dtype) => {
    table[DTYPES[dtype].schema] = dtype;
    return table;
  },
  [],
);

/** Returns the dtype of a schema number, or undefined. */
export function dtypeFromSchema(number: number): DType | undefined {
  return BY_SCHEMA[number];
}
