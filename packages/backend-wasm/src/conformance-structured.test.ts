import { testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { WasmBackend } from "./backend.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";
import { divided } from "./threads/divided.test-helper.ts";

await testBackend("wasm", () => new WasmBackend(divided(5)), {
  runner: { describe, it, afterAll },
  parts: SHARES.structured,
});
