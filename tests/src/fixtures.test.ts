import { describe, expect, it } from "vitest";
import { expectFixture, fixtureNames, loadFixture } from "./fixture.ts";

/** Programs that are refused, with an op that they need. */
const REFUSED: Readonly<Record<string, string>> = {
  // Before decomposition, `associative_scan` is a graph under `vmap`, whose batching ops no backend has.
  "programs/associative_scan": "torch._functorch.predispatch::_add_batch_dim",
};

// Written by torch 2.6, 2.8, 2.13, 2.14 and 2.15, in both dialects; each recorded call of each.
describe("programs give PyTorch's outputs", () => {
  for (const name of fixtureNames().filter((each) => REFUSED[each] === undefined)) {
    it(name, () => expectFixture(name));
  }
});

describe("programs that cannot run are refused before anything is read", () => {
  it.each(Object.entries(REFUSED))("%s needs %s", async (name, op) => {
    await expect(loadFixture(name)).rejects.toMatchObject({
      code: "runtime.unsupported-ops",
      message: expect.stringContaining(op),
    });
  });
});
