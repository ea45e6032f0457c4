import { testConformance } from "./conformance.test-helper.ts";

await testConformance([
  "attention",
  "conv",
  "linalg",
  "loss",
  "matmul",
  "misc",
  "norm",
  "pool",
  "reduce",
  "resize",
  "rnn",
]);
