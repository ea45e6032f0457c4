import type { SuitePart } from "@pt2/conformance";

type Share = "elementwise" | "lifecycle" | "refusals" | "structured";

/** Which parts of the suite each `conformance-NAME.test.ts` runs, by NAME. */
export const SHARES: Readonly<Record<Share, readonly SuitePart[]>> = {
  elementwise: ["binary", "cast", "compare", "factories", "inplace", "pointwise", "unsigned", "views"],
  lifecycle: ["lifecycle", "user-ops", "random"],
  refusals: ["indices", "arguments", "errors"],
  structured: [
    "attention",
    "complex",
    "conv",
    "index",
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
    "scatter",
    "sort",
  ],
};
