import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { expectFixture, fixtureNames } from "./fixture.ts";

/** Fixtures that compute with complex numbers. */
const COMPLEX = /^programs\/dtypes(_aten)?$/;

// Written by torch 2.6, 2.8, 2.13, 2.14 and 2.15, in both dialects; each recorded call of each.
for (const { name: backend, missing, create, precision } of await testedBackends()) {
  describe(`programs give PyTorch's outputs: ${backend}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    for (const name of fixtureNames()) {
      it(name, async () => {
        const options = { backend: await create(), ...(precision && { precision }) };
        // A backend without complex tensors refuses programs that compute with them, and says so.
        const complex = options.backend.capabilities.dtypes.includes("complex64") || !COMPLEX.test(name);
        if (complex) await expectFixture(name, options);
        else await expect(expectFixture(name, options)).rejects.toThrow(/has no complex64 tensors/);
      });
    }
  });
}
