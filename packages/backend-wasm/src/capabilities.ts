import type { Capabilities } from "@pt2/backend";

/** The capabilities of the backend, whichever thread it computes in. */
export const CAPABILITIES: Capabilities = {
  dtypes: [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex64",
    "complex128",
  ],
  handlers: true,
  dynamicSizes: true,
};
