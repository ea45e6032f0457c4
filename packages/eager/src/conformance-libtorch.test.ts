import { libtorch } from "@pt2/backend-libtorch/node";
import { FAMILIES, testBackend } from "@pt2/conformance";
import { Pt2Error } from "@pt2/format";
import { afterAll, describe, it } from "vitest";
import { EagerBackend, everyNth, inputsOnly, WRITE_THEIR_ARGUMENT } from "./eager-backend.test-helper.ts";

/** The backend, or why it is not here. */
const made = await libtorch().catch((problem: unknown) => {
  if (problem instanceof Pt2Error && problem.code.startsWith("libtorch.")) return problem.what;
  throw problem;
});

if (typeof made === "string") it.skip(`libtorch: ${made}`);
else {
  await testBackend("eager calls on libtorch", () => EagerBackend.on(made), {
    runner: { describe, it: everyNth(3, inputsOnly(it)), afterAll },
    parts: FAMILIES,
    skip: WRITE_THEIR_ARGUMENT,
  });
}
