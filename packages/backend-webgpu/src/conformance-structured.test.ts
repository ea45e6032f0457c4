import { testConformance } from "./conformance.test-helper.ts";

await testConformance(["attention", "conv", "loss", "matmul", "misc", "norm", "pool", "reduce", "resize", "rnn"]);
