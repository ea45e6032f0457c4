import { describe, it } from "vitest";
import { expectFixture, fixtureNames } from "./fixture.ts";

// Written by torch 2.6, 2.8, 2.13, 2.14 and 2.15, in both dialects; each recorded call of each.
describe("programs give PyTorch's outputs", () => {
  for (const name of fixtureNames()) {
    it(name, () => expectFixture(name));
  }
});
