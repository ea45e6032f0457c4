import { loading } from "@pt2/registry/on-demand";
import { expect, it } from "vitest";
import { complexRuleOf, ruleOf } from "./gradient-rules.ts";
import { INDEXING_RULES } from "./indexing.ts";
import { LINALG_RULES } from "./linalg.ts";

it.each([
  ["linear algebra", LINALG_RULES],
  ["indexing", INDEXING_RULES],
])("rules of %s load on demand", async (_, rules) => {
  for (const [op, rule] of Object.entries(rules)) expect(await loading(() => ruleOf(op)), op).toBe(rule);
});

it("rules for complex numbers do too, and many are those for real ones", async () => {
  const found = async (op: string) => await loading(() => complexRuleOf(op));
  for (const op of ["mul.Tensor", "_fft_r2c", "exp", "cat", "gather", "permute"]) {
    expect(await found(`aten::${op}`), op).not.toBeNull();
  }
  for (const op of ["sigmoid_backward", "linalg_inv_ex", "cumprod"]) expect(await found(`aten::${op}`), op).toBeNull();
});

it("other rules are there", () => {
  expect(ruleOf("aten::linalg_vector_norm")).toBeDefined();
  expect(ruleOf("aten::nope")).toBeUndefined();
});
