import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { expectFixture, fixtureNames } from "./fixture.ts";

/** Fixtures with weights of every dtype, among them the least int64. */
const DTYPES = /^programs\/dtypes(_aten)?$/;

// The fixtures were written by torch 2.6, 2.8, 2.13, 2.14 and 2.15, in both dialects, each with recorded calls.
for (const { name: backend, missing, create, precision } of await testedBackends()) {
  describe(`programs give PyTorch's outputs: ${backend}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    for (const name of fixtureNames()) {
      it(name, async () => {
        const options = { backend: await create(), ...(precision && { precision }) };
        // A backend that holds int64 in 32 bits refuses values that do not fit.
        const narrow = options.backend.capabilities.narrowed?.int64 !== undefined && DTYPES.test(name);
        if (narrow) await expect(expectFixture(name, options)).rejects.toThrow(/holds the int64 -9223372036854775808/);
        else await expectFixture(name, options);
      });
    }
  });
}
