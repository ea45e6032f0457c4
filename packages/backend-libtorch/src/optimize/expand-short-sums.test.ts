import { describe, expect, it } from "vitest";
import { expandShortSums } from "./expand-short-sums.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const inputs = `user_input %a: f32[s0, 3, 5, 7]
      user_input %b: f32[s0, 3, 5, 7]
      user_input %w: f32[s0, 2, 3, 1, 1]`;

describe("expandShortSums", () => {
  it("adds the tensors of a stack, each multiplied by its part of a weight, without the stack", () => {
    const before = program(`${inputs}
      %s: f32[s0, 2, 3, 5, 7] = aten::stack(tensors=[%a, %b], dim=-4)
      %y: f32[s0, 3, 5, 7] = aten::sum.dim_IntList(%s, dim=[1])
      %p: f32[s0, 2, 3, 5, 7] = aten::mul.Tensor(%s, other=%w)
      %z: f32[s0, 3, 5, 7] = aten::sum.dim_IntList(%p, dim=[-4], keepdim=false)
      return %y, %z`);
    expect(text(expandShortSums(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %a: f32[s0, 3, 5, 7]
      user_input %b: f32[s0, 3, 5, 7]
      user_input %w: f32[s0, 2, 3, 1, 1]
      %add: f32[s0, 3, 5, 7] = aten::add.Tensor(%a, other=%b)
      %select: f32[s0, 3, 1, 1] = aten::select.int(%w, dim=1, index=0)
      %mul: f32[s0, 3, 5, 7] = aten::mul.Tensor(%a, other=%select)
      %select_1: f32[s0, 3, 1, 1] = aten::select.int(%w, dim=1, index=1)
      %mul_1: f32[s0, 3, 5, 7] = aten::mul.Tensor(%b, other=%select_1)
      %add_1: f32[s0, 3, 5, 7] = aten::add.Tensor(%mul, other=%mul_1)
      return %add, %add_1"
    `);
  });

  it("selects what lies in a stack along another dimension, in a product that others read, and where one element is for all", () => {
    const other = program(`${inputs}
      %s: f32[s0, 3, 2, 5, 7] = aten::stack(tensors=[%a, %b], dim=2)
      %y: f32[s0, 2, 5, 7] = aten::sum.dim_IntList(%s, dim=[1])
      return %y`);
    expect(text(expandShortSums(other, cpu())).match(/aten::select\.int\(%s, dim=1, index=\d\)/g)).toHaveLength(3);
    const product = (outputs: string): string =>
      text(
        expandShortSums(
          program(`user_input %x: f32[2, 3, 5]
          user_input %w: f32[1, 3, 5]
          %p: f32[2, 3, 5] = aten::mul.Tensor(%x, other=%w)
          %y: f32[3, 5] = aten::sum.dim_IntList(%p, dim=[0])
          return ${outputs}`),
          cpu(),
        ),
      );
    expect(product("%y, %p").match(/aten::select\.int\(%p, dim=0, index=\d\)/g)).toHaveLength(2);
    expect(product("%y").match(/aten::select\.int\(%x, dim=0, index=\d\)/g)).toHaveLength(2);
    expect(product("%y").match(/aten::select\.int\(%w, dim=0, index=0\)/g)).toHaveLength(2);
  });

  it("selects what a stack converts", () => {
    const before = program(`user_input %a: f16[3, 5]
      user_input %b: f32[3, 5]
      %s: f32[2, 3, 5] = aten::stack(tensors=[%a, %b])
      %y: f32[3, 5] = aten::sum.dim_IntList(%s, dim=[0])
      return %y`);
    const after = text(expandShortSums(before, cpu()));
    expect(after).toContain("%select: f32[3, 5] = aten::select.int(%s, dim=0, index=0)");
    expect(after).toContain("aten::add.Tensor(%select, other=%b)");
  });

  it("keeps sums over more elements, over none or one, over several dimensions, over the last one, and of other dtypes", () => {
    const sum = (
      shape: string,
      rest: string,
      result: string,
      dtype = "f32",
    ): string => `user_input %x: ${dtype}[${shape}]
      %y: ${dtype}[${result}] = aten::sum.dim_IntList(%x, ${rest})
      return %y`;
    const kept = [
      sum("5, 7", "dim=[0]", "7"),
      sum("1, 7", "dim=[0]", "7"),
      sum("0, 7", "dim=[0]", "7"),
      sum("s0, 7", "dim=[0]", "7"),
      sum("3, 2, 7", "dim=[0, 1]", "7"),
      sum("3, 2", "dim=[-1]", "3"),
      sum("2, 7", "dim=[0], keepdim=true", "1, 7"),
      sum("2, 7", "dim=[0]", "7", "f64"),
      sum("2, 7", "dim=[0]", "7", "i64"),
    ];
    for (const before of kept.map(program)) expect(expandShortSums(before, cpu())).toBe(before);
    const converted = program(sum("2, 7", "dim=[0], dtype=torch.float64", "7").replace("%y: f32", "%y: f64"));
    expect(expandShortSums(converted, cpu())).toBe(converted);
  });
});
