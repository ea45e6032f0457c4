import { describe, expect, it } from "vitest";
import { commitUpdates } from "./commit-updates.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const STATE = `buffer "a" = %a: f32[3]
      parameter "b" = %b: f32[3]
      user_input %x: f32[3]`;

function committed(body: string): readonly [readonly string[], readonly unknown[]] {
  const given = { program: program(`${STATE}\n      ${body}`), commits: [] };
  const after = commitUpdates(given, cpu().effectsOf);
  return [text(after.program).split("\n").slice(3), after.commits];
}

describe("commitUpdates", () => {
  it("lets new values replace those of buffers and parameters", () => {
    expect(
      committed(`%y: f32[3] = aten::add.Tensor(%a, other=%x)
      %z: f32[3] = aten::mul.Tensor(%b, other=%x)
      u: none = aten::copy_(%a, src=%y)
      v: none = aten::copy_(%b, src=%z)
      return %y`),
    ).toEqual([
      [
        "%y: f32[3] = aten::add.Tensor(%a, other=%x)",
        "%z: f32[3] = aten::mul.Tensor(%b, other=%x)",
        'return %y, %z -> parameter_mutation "b", %y -> buffer_mutation "a"',
      ],
      [
        { output: 1, target: "b" },
        { output: 2, target: "a" },
      ],
    ]);
  });

  it("takes the last of several new values", () => {
    const [lines, commits] = committed(`%y: f32[3] = aten::neg(%x)
      %z: f32[3] = aten::relu(%x)
      u: none = aten::copy_(%a, src=%y)
      v: none = aten::copy_(%a, src=%z)
      return %x`);
    expect(lines).toContain('return %x, %z -> buffer_mutation "a"');
    expect(commits).toEqual([{ output: 1, target: "a" }]);
  });

  it.each([
    ["lies in the memory of another", "%y: f32[3] = aten::view(%b, size=[3])", ""],
    ["has another dtype", "%y: f64[3] = aten::to.dtype(%x, dtype=torch.float64)", ""],
    ["has another shape", "%y: f32[1] = aten::slice.Tensor(%x, dim=0, start=2)", ""],
    ["is there before the end", "%y: f32[3] = aten::neg(%x)", "%late: f32[3] = aten::neg(%a)"],
  ])("copies a value that %s", (_, value, after) => {
    const body = `${value}
      u: none = aten::copy_(%a, src=%y)
      ${after}
      return %x`;
    expect(committed(body)).toEqual([expect.arrayContaining(["u: none = aten::copy_(%a, src=%y)", "return %x"]), []]);
  });
});
