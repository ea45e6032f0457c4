import { testInPage } from "./conformance-in-page.ts";

await testInPage("webgpu in Chromium", [
  ...(["attention", "conv", "index", "loss", "matmul", "misc", "norm"] as const),
  ...(["pool", "reduce", "resize", "rnn", "scatter", "sort", "lifecycle", "user-ops"] as const),
]);
