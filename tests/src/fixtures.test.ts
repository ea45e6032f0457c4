import { describe, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { expectFixture, fixtureNames } from "./fixture.ts";

// Written by torch 2.6, 2.8, 2.13, 2.14 and 2.15, in both dialects; each recorded call of each.
for (const { name: backend, missing, create, precision } of await testedBackends()) {
  describe(`programs give PyTorch's outputs: ${backend}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    for (const name of fixtureNames()) {
      it(name, async () => expectFixture(name, { backend: await create(), ...(precision && { precision }) }));
    }
  });
}
