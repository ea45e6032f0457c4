import { describe, expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { printGraph } from "../../text/print-program.ts";
import { replaceInPlaceViews } from "./replace-in-place-views.ts";

function after(body: string): ReturnType<typeof replaceInPlaceViews> {
  const program = parse(`program "TRAINING" torch "2.13.0" {\n  buffer "c" = %c: f32[3, 4]\n  ${body}\n}\n`);
  return replaceInPlaceViews(program, () => false);
}

describe("keepLayouts", () => {
  it("makes the last sizes of a buffer its new ones, and knows those of no other value", () => {
    const { graph, outputs } = after(`%s: f32[4] = aten::sum.dim_IntList(%c, dim=[0])
  %t: f32[4, 3] = aten::t_(%c)
  %m: f32[4, 3] = aten::mul.Tensor(%t, other=2)
  return %m, %s`);
    expect(outputs).toEqual([
      { kind: "buffer_mutation", target: "c" },
      { kind: "user_output" },
      { kind: "user_output" },
    ]);
    const text = printGraph(graph, { origins: false });
    expect(text).toMatch(/%t: f32\[4, 3\] = aten::t\(%c\)/);
    expect(text).toMatch(/return %t, %m, %s/);
    expect([...graph.values.keys()]).toEqual(["c", "t"]);
  });

  it("leaves a buffer that has its own sizes again, and one whose memory is what it was", () => {
    const twice = after(`%t: f32[4, 3] = aten::t_(%c)
  %u: f32[3, 4] = aten::t_(%c)
  return %u`);
    expect(twice.outputs).toHaveLength(1);
    const strided = after(`%t: f32[4, 3] = aten::as_strided_(%c, size=[4, 3], stride=[1, 4])
  return %t`);
    expect(strided.outputs).toHaveLength(1);
  });

  it("refuses what depends on memory that later calls have in another order", () => {
    expect(() =>
      after(`%s: f32[4] = aten::sum.dim_IntList(%c, dim=[0])
  %t: f32[2, 2] = aten::as_strided_(%c, size=[2, 2], stride=[1, 2])
  return %t, %s`),
    ).toThrow(/"c" has other sizes after each call, and aten::as_strided_ reads its memory/);
    expect(() =>
      after(`%k: f32[3, 4] = aten::contiguous(%c)
  %t: f32[4, 3]{strides=[1, 4]} = aten::t_(%c)
  return %k`),
    ).toThrow(/aten::contiguous reads its memory/);
  });
});
