import { testConformance } from "./conformance.test-helper.ts";

// Families whose kernels are others on a GPU, or that bind many tensors at once.
await testConformance(["attention", "conv", "index", "matmul", "norm", "pool", "reduce", "scatter"], "gpu");
