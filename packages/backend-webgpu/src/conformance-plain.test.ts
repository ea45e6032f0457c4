import { testConformance } from "./conformance.test-helper.ts";

// Families whose kernels look at features: halves in 32 bits, reductions without subgroups.
await testConformance(["attention", "cast", "matmul", "norm", "reduce"], "none");
