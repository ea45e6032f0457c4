import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { WasmBackend } from "./backend.ts";

await testBackend("wasm", () => new WasmBackend(), {
  runner: { describe, it, afterAll },
  parts: [
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
});
