import { webgpu } from "@pt2/backend-webgpu/node";
import { FAMILIES, testBackend } from "@pt2/conformance";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { afterAll, describe, it } from "vitest";
import {
  EagerBackend,
  everyNth,
  inputsOnly,
  shortNumbersOnly,
  WRITE_THEIR_ARGUMENT,
} from "./eager-backend.test-helper.ts";

/** The backend, or why it is not here. */
const made = await orWhyNot(webgpu({ narrowFloat64: true }));

if (typeof made === "string") it.skip(`eager calls on webgpu (skipped: ${made})`);
else {
  await testBackend("eager calls on webgpu", () => EagerBackend.on(made), {
    // The kernels have tests of their own; here the results stay on the device between calls.
    runner: { describe, it: everyNth(12, inputsOnly(shortNumbersOnly(it))), afterAll },
    parts: FAMILIES,
    skip: WRITE_THEIR_ARGUMENT,
    tolerance: { float32: { rtol: 1e-4, atol: 1e-5 } },
  });
}
