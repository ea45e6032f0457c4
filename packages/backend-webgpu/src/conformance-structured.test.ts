import { testConformance } from "./conformance.test-helper.ts";

await testConformance([
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
]);
