import type { Layout, MemoryFormat } from "./ir.ts";

/** The layouts that an argument may be. */
export const LAYOUTS: readonly Layout[] = [
  "strided",
  "sparse_coo",
  "sparse_csr",
  "sparse_csc",
  "sparse_bsr",
  "sparse_bsc",
  "_mkldnn",
];

/** The memory formats that an argument may be. */
export const MEMORY_FORMATS: readonly MemoryFormat[] = [
  "contiguous_format",
  "channels_last",
  "channels_last_3d",
  "preserve_format",
];
