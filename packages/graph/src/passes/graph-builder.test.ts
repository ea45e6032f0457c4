import { afterEach, expect, test, vi } from "vitest";
import { GraphBuilder } from "./graph-builder.ts";

afterEach(() => vi.restoreAllMocks());

test("GraphBuilder numbers names that are taken", () => {
  const type = { kind: "symint", value: null } as const;
  const builder = new GraphBuilder({ inputs: [], nodes: [], outputs: [], values: new Map([["a_2", type]]) });
  expect(["a", "a", "a", "b", "a_2", "a"].map((base) => builder.fresh(base))).toEqual([
    "a",
    "a_1",
    "a_3",
    "b",
    "a_2_1",
    "a_4",
  ]);
});

test("GraphBuilder finds each of a thousand fresh names in one or two lookups", () => {
  const builder = new GraphBuilder({ inputs: [], nodes: [], outputs: [], values: new Map() });
  const looks = vi.spyOn(Set.prototype, "has");
  for (let i = 0; i < 1000; i++) builder.fresh("add");
  expect(looks.mock.calls.length).toBeLessThan(3000);
});
