import { describe, expect, it } from "vitest";
import { cpu, program, text } from "../optimize/passes.test-helper.ts";
import { separateUpdates } from "./separate-updates.ts";

const STATE = `buffer "a" = %a: f32[3]
      buffer "b" = %b: f32[3]
      user_input %x: f32[3]`;

function separated(body: string, shared: readonly string[] = []): readonly string[] {
  const before = program(`${STATE}
      ${body}`);
  const nodes = before.graph.nodes.filter(({ op }) => op === "aten::copy_");
  const isShared = (target: string): boolean => shared.includes(target);
  return text(separateUpdates(before, { nodes, isShared, effectsOf: cpu().effectsOf }))
    .split("\n")
    .slice(3);
}

describe("separateUpdates", () => {
  it("copies what an earlier update writes before any of them", () => {
    expect(
      separated(`u: none = aten::copy_(%b, src=%a)
      v: none = aten::copy_(%a, src=%b)
      return %x`),
    ).toEqual([
      "%b_before: f32[3] = aten::clone(%b)",
      "u: none = aten::copy_(%b, src=%a)",
      "v: none = aten::copy_(%a, src=%b_before)",
      "return %x",
    ]);
  });

  it("copies results in memory that an update writes, and views of it", () => {
    expect(
      separated(`%w: f32[2] = aten::slice.Tensor(%a, dim=0, start=1)
      u: none = aten::copy_(%a, src=%x)
      %y: f32[3] = aten::relu(%x)
      return %w, %a, %b, %y`),
    ).toEqual([
      "%w: f32[2] = aten::slice.Tensor(%a, dim=0, start=1)",
      "%y: f32[3] = aten::relu(%x)",
      "%w_before: f32[2] = aten::clone(%w)",
      "%a_before: f32[3] = aten::clone(%a)",
      "u: none = aten::copy_(%a, src=%x)",
      "return %w_before, %a_before, %b, %y",
    ]);
  });

  it("copies a view of what it is written to", () => {
    expect(
      separated(`%w: f32[3] = aten::as_strided(%a, size=[3], stride=[1], storage_offset=0)
      u: none = aten::copy_(%a, src=%w)
      return %x`),
    ).toContain("u: none = aten::copy_(%a, src=%w_before)");
  });

  it("takes tied weights for one", () => {
    const body = `u: none = aten::copy_(%a, src=%x)
      return %b`;
    expect(separated(body)).toContain("return %b");
    expect(separated(body, ["a", "b"])).toContain("return %b_before");
  });

  it("leaves updates of values that nothing writes", () => {
    expect(
      separated(`%y: f32[3] = aten::add.Tensor(%a, other=%b)
      u: none = aten::copy_(%a, src=%y)
      v: none = aten::copy_(%b, src=%x)
      return %y`),
    ).toEqual([
      "%y: f32[3] = aten::add.Tensor(%a, other=%b)",
      "u: none = aten::copy_(%a, src=%y)",
      "v: none = aten::copy_(%b, src=%x)",
      "return %y",
    ]);
  });
});
