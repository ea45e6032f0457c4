import { libtorch } from "@pt2/backend-libtorch/node";
import { FAMILIES, testBackend } from "@pt2/conformance";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { afterAll, describe, it } from "vitest";
import { EagerBackend, everyNth, inputsOnly, WRITE_THEIR_ARGUMENT } from "./eager-backend.test-helper.ts";

/** The backend, or why it is not here. */
const made = await orWhyNot(libtorch());

if (typeof made === "string") it.skip(`eager calls on libtorch (skipped: ${made})`);
else {
  await testBackend("eager calls on libtorch", () => EagerBackend.on(made), {
    runner: { describe, it: everyNth(3, inputsOnly(it)), afterAll },
    parts: FAMILIES,
    skip: WRITE_THEIR_ARGUMENT,
  });
}
