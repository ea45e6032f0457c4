import { wasm } from "@pt2/backend-wasm/node";
import { FAMILIES, testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { EagerBackend, everyNth, inputsOnly, WRITE_THEIR_ARGUMENT } from "./eager-backend.test-helper.ts";

await testBackend("eager calls on wasm", () => EagerBackend.on(wasm({ worker: false })), {
  runner: { describe, it: everyNth(3, inputsOnly(it)), afterAll },
  parts: FAMILIES,
  skip: WRITE_THEIR_ARGUMENT,
});
