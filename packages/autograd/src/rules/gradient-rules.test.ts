import { loading } from "@pt2/registry/on-demand";
import { expect, it } from "vitest";
import { ruleOf } from "./gradient-rules.ts";
import { LINALG_RULES } from "./linalg.ts";

it("rules of linear algebra load on demand", async () => {
  for (const [op, rule] of Object.entries(LINALG_RULES)) expect(await loading(() => ruleOf(op)), op).toBe(rule);
});

it("other rules are there", () => {
  expect(ruleOf("aten::linalg_vector_norm")).toBeDefined();
  expect(ruleOf("aten::nope")).toBeUndefined();
});
