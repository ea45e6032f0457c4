import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { WasmBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";

await testBackend("wasm", () => new WasmBackend(), {
  runner: { describe, it, afterAll },
  lowers: true,
  parts: SHARES.refusals,
});
