import { expect, it } from "vitest";
import * as draw from "./draw/index.ts";
import * as graph from "./index.ts";
import * as passes from "./passes/index.ts";
import * as pytree from "./pytree/index.ts";

it("every entry point of @pt2/graph is small", () => {
  for (const entry of [graph, passes, pytree, draw]) expect(Object.keys(entry).length).toBeLessThanOrEqual(25);
});
