import { expect, it } from "vitest";
import { explainStages } from "./explain.ts";

it("a program whose sizes are not known yet says that it is planned by the first run", () => {
  expect(explainStages([])).toBe("# not planned yet: the first run plans it, or a warmup");
});
