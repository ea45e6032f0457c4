import { describe, expect, it } from "vitest";
import { commitsOf } from "../encode/commits.ts";
import { fusePointwise } from "./fuse-pointwise.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import { type UpdatedProgram, updateInPlace } from "./update-in-place.ts";

const target = cpu(["pt2::pointwise", "pt2::pointwise_"]);

function updated(body: string, on = target): UpdatedProgram {
  const { program: whole, commits } = commitsOf(program(body), { isShared: () => false, effectsOf: () => undefined });
  return updateInPlace({ program: fusePointwise(whole, on), commits, overwrites: new Set(), targets: [] }, on);
}

/** A gradient, and its moments; `more` are lines before the results, `results` those beside the writes. */
const step = (more = "", results = ""): string => `parameter "w" = %w: f32[4, 4]
  buffer "m" = %m: f32[4, 4]
  user_input %x: f32[4, 4]
  %p: f32[4, 4] = aten::mm(%x, mat2=%w)
  %g: f32[4, 4] = aten::mm(%x, mat2=%p)
  %a: f32[4, 4] = aten::lerp.Scalar(%m, end=%g, weight=0.1)
  %b: f32[4, 4] = aten::mul.Tensor(%a, other=0.5)
  %c: f32[4, 4] = aten::sub.Tensor(%w, other=%b)
  ${more}
  return %a -> buffer_mutation "m", %c -> parameter_mutation "w"${results}`;

describe("updateInPlace", () => {
  it("makes the last node of what computes new values of state alone", () => {
    const { program: after, commits, update, targets } = updated(step("%s: f32[] = aten::sum(%p, dtype=none)", ", %s"));
    expect([commits, targets, after.graph.nodes.at(-1)]).toEqual([[], ["m", "w"], update]);
    expect(text(after).split("\n").slice(3)).toMatchInlineSnapshot(`
      [
        "%p: f32[4, 4] = aten::mm(%x, mat2=%w)",
        "%g: f32[4, 4] = aten::mm(%x, mat2=%p)",
        "%s: f32[] = aten::sum(%p, dtype=none)",
        "pointwise: pt2::pointwise_(out=[%m, %w], inputs=[%m, %g, %w], constants=[0.10000000149011612, 0.5], code=[8, 5, 1, 0, 0, 9, 5, 3, 5, 0, 7, 5, 0, 5, 0, 9, 6, 5, 4, 0, 8, 6, 2, 6, 0], results=[5, 6], counts=[3, 2, 25, 2])",
        "return none -> buffer_mutation "m", none -> parameter_mutation "w", %s",
      ]
    `);
  });

  it.each([
    ["an old value is returned", step("", ", %w")],
    ["a view of an old value is returned", step("%v: f32[16] = aten::view(%w, size=[16])", ", %v")],
    ["a new value is read elsewhere", step("%s: f32[4, 4] = aten::mm(%c, mat2=%x)", ", %s")],
    ["a new value is returned too", step("", ", %c")],
  ])("leaves everything as it is where %s", (_, body) => {
    expect(updated(body).update).toBe(null);
  });

  it("leaves what reads other elements of an old value, or what another pass replaces", () => {
    const transposed = (old: string): string => `parameter "w" = %w: f32[4, 4]
      user_input %x: f32[4, 4]
      %t: f32[4, 4] = aten::permute(%w, dims=[1, 0])
      %a: f32[4, 4] = aten::mul.Tensor(%w, other=0.5)
      %c: f32[4, 4] = aten::sub.Tensor(%a, other=%${old})
      return %c -> parameter_mutation "w"`;
    expect([updated(transposed("t")).update, updated(transposed("x")).targets]).toEqual([null, ["w"]]);
    const exchanged = updated(`buffer "a" = %a: f32[2]
      buffer "b" = %b: f32[2]
      buffer "c" = %c: f32[2]
      user_input %x: f32[2]
      user_input %y: f32[2]
      %n: f32[2] = aten::neg(%b)
      %p: f32[2] = aten::mul.Tensor(%n, other=%x)
      %m: f32[2] = aten::neg(%a)
      %q: f32[2] = aten::mul.Tensor(%m, other=%y)
      %o: f32[2] = aten::neg(%c)
      %r: f32[2] = aten::exp(%o)
      return %p -> buffer_mutation "a", %q -> buffer_mutation "b", %r -> buffer_mutation "c"`);
    expect([exchanged.targets, exchanged.commits.map((commit) => commit.target)]).toEqual([["c"], ["a", "b"]]);
  });

  it("leaves what a later node may overwrite, and state of another dtype or layout", () => {
    const write = "%z: f32[4, 4] = aten::copy_(%p, src=%x)";
    expect(updated(step(write)).update).toBe(null);
    const transposed = step().replace('"w" = %w: f32[4, 4]', '"w" = %w: f32[4, 4] {strides=[1, 4]}');
    expect(updated(transposed).update).toBe(null);
  });

  it("leaves everything where the kernel is not", () => {
    expect(updated(step(), cpu(["pt2::pointwise"])).update).toBe(null);
  });
});
