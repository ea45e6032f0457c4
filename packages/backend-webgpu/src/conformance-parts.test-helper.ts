import type { SuitePart } from "@pt2/conformance";

type Share = "elementwise" | "gpu" | "indexing" | "plain" | "refusals" | "structured";

/** Which parts of the suite each `conformance-NAME.test.ts` runs, by NAME. */
export const SHARES: Readonly<Record<Share, readonly SuitePart[]>> = {
  elementwise: ["binary", "cast", "compare", "factories", "inplace", "pointwise", "unsigned", "views"],
  // Families whose kernels differ on a GPU, or that bind many tensors at once.
  gpu: ["attention", "conv", "index", "matmul", "norm", "pool", "reduce", "scatter"],
  indexing: ["index", "scatter", "sort", "lifecycle", "user-ops", "random"],
  // Families whose kernels depend on features: float16 held in 32 bits, reductions without subgroups.
  plain: ["attention", "cast", "matmul", "norm", "reduce"],
  refusals: ["indices", "arguments", "errors"],
  structured: [
    "attention",
    "complex",
    "conv",
    "linalg",
    "loss",
    "matmul",
    "misc",
    "norm",
    "pool",
    "quantized",
    "reduce",
    "resize",
    "rnn",
  ],
};
