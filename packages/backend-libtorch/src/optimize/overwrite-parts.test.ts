import { describe, expect, it } from "vitest";
import { commitsOf } from "../encode/commits.ts";
import { type OverwritingProgram, overwriteParts } from "./overwrite-parts.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

function overwritten(body: string, on = cpu()): OverwritingProgram {
  const given = `buffer "c" = %c: f32[4, 3]
    user_input %i: i64[1]
    user_input %x: f32[1, 3]
    ${body}`;
  return overwriteParts(commitsOf(program(given), { isShared: () => false, effectsOf: () => undefined }), on);
}

const lines = ({ program: after }: OverwritingProgram): readonly string[] => text(after).split("\n").slice(3);

describe("overwriteParts", () => {
  it.each([
    ["index_copy", "%w: f32[4, 3] = aten::index_copy(%c, dim=0, index=%i, source=%x)"],
    ["index_put", "%w: f32[4, 3] = aten::index_put(%c, indices=[%i], values=%x)"],
    ["index_add", "%w: f32[4, 3] = aten::index_add(%c, dim=0, index=%i, source=%x)"],
  ])("%s writes to the buffer itself", (name, node) => {
    const after = overwritten(`${node}
      %s: f32[3] = aten::sum.dim_IntList(%w, dim=[0])
      return %w -> buffer_mutation "c", %s`);
    expect([after.commits, after.targets, after.overwrites.size]).toEqual([[], ["c"], 1]);
    expect(lines(after)).toEqual([
      node.replace(name, `${name}_`),
      "%s: f32[3] = aten::sum.dim_IntList(%w, dim=[0])",
      'return none -> buffer_mutation "c", %s',
    ]);
  });

  it("a slice is copied to a view of the buffer", () => {
    const after = overwritten(`%w: f32[4, 3] = aten::slice_scatter(%c, src=%x, dim=0, start=1, end=2)
      return %w -> buffer_mutation "c", %w`);
    expect(lines(after)).toEqual([
      "%w_part: f32[1, 3] = aten::slice.Tensor(%c, dim=0, start=1, end=2)",
      "w_copy: none = aten::copy_(%w_part, src=%x)",
      "%w: f32[4, 3] = aten::alias(%c)",
      'return none -> buffer_mutation "c", %w',
    ]);
  });

  it("what is read between two writes is the value between them", () => {
    const after = overwritten(`%w: f32[4, 3] = aten::index_copy(%c, dim=0, index=%i, source=%x)
      %s: f32[1, 3] = aten::sum.dim_IntList(%w, dim=[0], keepdim=true)
      %v: f32[4, 3] = aten::slice_scatter(%w, src=%s, dim=0, start=3, end=4)
      return %v -> buffer_mutation "c", %s`);
    expect(after.overwrites.size).toBe(2);
  });

  const write = (self: string): string => `%w: f32[4, 3] = aten::index_copy(${self}, dim=0, index=%i, source=%x)`;

  it.each([
    ["an old value is read later", `${write("%c")}\n %s: f32[] = aten::sum(%c)`, "%s"],
    ["a view of an old value is read later", `%v: f32[12] = aten::view(%c, size=[12])\n${write("%c")}`, "%v"],
    [
      "what may be the old value is read later",
      `%v: f32[4, 3] = aten::dropout(input=%c, p=0.5, train=false)\n${write("%c")}`,
      "%v",
    ],
    [
      "what is written is a part of the buffer",
      `%p: f32[1, 3] = aten::slice.Tensor(%c, dim=0, start=0, end=1)
       %w: f32[4, 3] = aten::index_copy(%c, dim=0, index=%i, source=%p)`,
      "%x",
    ],
    [
      "the value between two writes is read after the second",
      `%u: f32[4, 3] = aten::index_copy(%c, dim=0, index=%i, source=%x)
       ${write("%u")}
       %s: f32[] = aten::sum(%u)`,
      "%s",
    ],
    ["the new value is not that of the buffer", `%n: f32[4, 3] = aten::neg(%c)\n${write("%n")}`, "%x"],
  ])("a program is left as it is where %s", (_, nodes, result) => {
    const body = `${nodes}\nreturn %w -> buffer_mutation "c", ${result}`;
    expect(overwritten(body).overwrites.size).toBe(0);
    expect(overwritten(body).commits).toEqual([{ output: 0, target: "c" }]);
  });

  it("an op that the user's own code computes is left to it", () => {
    const body = `${write("%c")}\nreturn %w -> buffer_mutation "c"`;
    expect(overwritten(body, cpu([], ["aten::index_copy"])).overwrites.size).toBe(0);
  });
});
