import { describe, expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { printGraph } from "../../text/print-program.ts";
import { hasInPlaceViews } from "../has-in-place-views.ts";
import { replaceInPlaceViews } from "./replace-in-place-views.ts";

function after(body: string, claimed: readonly string[] = []): readonly string[] {
  const program = parse(`program "TRAINING" torch "2.13.0" {\n  user_input %x: f32[3, 4]\n  ${body}\n}\n`);
  expect(hasInPlaceViews(program.graph)).toBe(true);
  const { graph } = replaceInPlaceViews(program, (op) => claimed.includes(op));
  return printGraph(graph, { origins: false })
    .split("\n")
    .slice(1, -2)
    .map((line) => line.trim());
}

describe("replaceInPlaceViews", () => {
  it("gives what reads the tensor later the view, and its aliases the sizes that they had", () => {
    expect(
      after(`%v: f32[3, 4] = aten::add.Tensor(%x, other=1)
  %d: f32[3, 4] = aten::detach(%v)
  %t: f32[4, 3] = aten::t_(%v)
  return %v, %d, %t`),
    ).toEqual([
      "%v: f32[3, 4] = aten::add.Tensor(%x, other=1)",
      "%d: f32[3, 4] = aten::detach(%v)",
      "%t: f32[4, 3] = aten::t(%v)",
      "return %t, %d, %t",
    ]);
  });

  it("knows one tensor by all its names", () => {
    expect(
      after(`%v: f32[3, 4] = aten::add_.Tensor(%x, other=1)
  %c: f32[3, 4] = aten::contiguous(%v)
  %w: f32[3, 4] = aten::view(%c, size=[3, 4])
  %t: f32[1, 3, 4] = aten::unsqueeze_(%c, dim=0)
  return %x, %v, %c, %w`).at(-1),
    ).toBe("return %t, %t, %t, %w");
  });

  it("follows several, and leaves ops that the user takes over", () => {
    const body = `%v: f32[3, 4] = aten::add.Tensor(%x, other=1)
  %t: f32[4, 3] = aten::t_(%v)
  %u: f32[3, 4] = aten::transpose_(%v, dim0=0, dim1=1)
  return %v`;
    expect(after(body).slice(1)).toEqual([
      "%t: f32[4, 3] = aten::t(%v)",
      "%u: f32[3, 4] = aten::transpose.int(%t, dim0=0, dim1=1)",
      "return %u",
    ]);
    expect(after(body, ["aten::t_", "aten::transpose_"]).at(-1)).toBe("return %v");
  });
});
