import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { WasmBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import { wasm } from "./node.ts";
import { twiceKernel } from "./twice-kernel.test-helper.ts";

const runner = { describe, it, afterAll };

await testBackend("wasm", () => new WasmBackend(), { runner, parts: SHARES.lifecycle, kernel: twiceKernel });
await testBackend("wasm in a worker", () => wasm(), { runner, parts: SHARES.lifecycle, kernel: twiceKernel });
