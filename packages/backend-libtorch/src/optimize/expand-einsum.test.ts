import { describe, expect, it } from "vitest";
import { expandEinsums } from "./expand-einsum.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const einsum = (equation: string, x: string, y: string, out: string): ReturnType<typeof program> =>
  program(`user_input %x: f32[${x}]
    user_input %y: f32[${y}]
    %z: f32[${out}] = aten::einsum(equation="${equation}", tensors=[%x, %y])
    return %z`);

const expanded = (...args: Parameters<typeof einsum>): string => text(expandEinsums(einsum(...args), cpu()));

describe("expandEinsums", () => {
  it("multiplies batches of heads of any size", () => {
    expect(expanded("bihd,bjhd->bhij", "s0, s1, 3, 8", "s0, s2, 3, 8", "s0, 3, s1, s2")).toMatchInlineSnapshot(`
      "user_input %x: f32[s0, s1, 3, 8]
      user_input %y: f32[s0, s2, 3, 8]
      %permute: f32[s0, 3, s1, 8]{strides=[24*s1, 8, 24, 1]} = aten::permute(%x, dims=[0, 2, 1, 3])
      %permute_1: f32[s0, 3, 8, s2]{strides=[24*s2, 8, 1, 24]} = aten::permute(%y, dims=[0, 2, 3, 1])
      %matmul: f32[s0, 3, s1, s2]{strides=[3, 1, 1, 1]} = aten::matmul(%permute, other=%permute_1)
      return %matmul"
    `);
    expect(
      expanded("b h i j, b h j d -> b i h d", "2, 3, s1, s2", "2, 3, s2, 8", "2, s1, 3, 8"),
    ).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3, s1, s2]
      user_input %y: f32[2, 3, s2, 8]
      %matmul: f32[2, 3, s1, 8]{strides=[24, 8, 8, 1]} = aten::matmul(%x, other=%y)
      %permute: f32[2, s1, 3, 8]{strides=[24, 8, 8, 1]} = aten::permute(%matmul, dims=[0, 2, 1, 3])
      return %permute"
    `);
    expect(expanded("...id,...jd->...ij", "2, 3, s1, 8", "2, 3, s2, 8", "2, 3, s1, s2")).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3, s1, 8]
      user_input %y: f32[2, 3, s2, 8]
      %permute: f32[2, 3, 8, s2]{strides=[24*s2, 8*s2, 1, 8]} = aten::permute(%y, dims=[0, 1, 3, 2])
      %matmul: f32[2, 3, s1, s2]{strides=[3, 1, 1, 1]} = aten::matmul(%x, other=%permute)
      return %matmul"
    `);
  });

  it("makes one of several rows, columns and dimensions that are summed", () => {
    expect(expanded("bxyhd,bhdk->bkxy", "2, 4, 5, 3, 8", "2, 3, 8, 7", "2, 7, 4, 5")).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 4, 5, 3, 8]
      user_input %y: f32[2, 3, 8, 7]
      %flatten: f32[2, 20, 3, 8] = aten::flatten.using_ints(%x, start_dim=1, end_dim=2)
      %flatten_1: f32[2, 20, 24] = aten::flatten.using_ints(%flatten, start_dim=2, end_dim=3)
      %flatten_2: f32[2, 24, 7] = aten::flatten.using_ints(%y, start_dim=1, end_dim=2)
      %matmul: f32[2, 20, 7] = aten::matmul(%flatten_1, other=%flatten_2)
      %unflatten: f32[2, 4, 5, 7] = aten::unflatten.int(%matmul, dim=1, sizes=[4, 5])
      %permute: f32[2, 7, 4, 5]{strides=[140, 1, 35, 7]} = aten::permute(%unflatten, dims=[0, 3, 1, 2])
      return %permute"
    `);
  });

  it("keeps rows apart that one matrix multiplies, on whichever side it is", () => {
    expect(expanded("bld,dhk->blhk", "s0, s1, 12", "12, 3, 4", "s0, s1, 3, 4")).toMatchInlineSnapshot(`
      "user_input %x: f32[s0, s1, 12]
      user_input %y: f32[12, 3, 4]
      %flatten: f32[12, 12] = aten::flatten.using_ints(%y, start_dim=1, end_dim=2)
      %matmul: f32[s0, s1, 12]{strides=[12, 12, 1]} = aten::matmul(%x, other=%flatten)
      %unflatten: f32[s0, s1, 3, 4]{strides=[12, 12, 4, 1]} = aten::unflatten.int(%matmul, dim=2, sizes=[3, 4])
      return %unflatten"
    `);
    const weighted = program(`parameter "w" = %w: f32[7, 12]
      user_input %x: f32[s0, 12, s1, s2]
      %z: f32[s0, 7, s1, s2] = aten::einsum(equation="oc,bchw->bohw", tensors=[%w, %x])
      return %z`);
    expect(text(expandEinsums(weighted, cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[7, 12]
      user_input %x: f32[s0, 12, s1, s2]
      %permute: f32[s0, s1, s2, 12]{strides=[12*s2*s1, s2, 1, s2*s1]} = aten::permute(%x, dims=[0, 2, 3, 1])
      %permute_1: f32[12, 7]{strides=[1, 12]} = aten::permute(%w, dims=[1, 0])
      %matmul: f32[s0, s1, s2, 7]{strides=[7, 7, 7, 1]} = aten::matmul(%permute, other=%permute_1)
      %permute_2: f32[s0, 7, s1, s2]{strides=[7, 1, 7, 7]} = aten::permute(%matmul, dims=[0, 3, 1, 2])
      return %permute_2"
    `);
  });

  it.each([
    ["no product", "bi,bj->bij", "2, 5", "2, 7", "2, 5, 7"],
    ["products by element", "bi,bi->bi", "2, 5", "2, 5", "2, 5"],
    ["a vector", "bij,bj->bi", "2, 5, 7", "2, 7", "2, 5"],
    ["a dimension that is summed alone", "bijk,bjl->bil", "2, 5, 7, 3", "2, 7, 4", "2, 5, 4"],
    ["a diagonal", "bii,bij->bj", "2, 5, 5", "2, 5, 4", "2, 4"],
    ["a batch that is broadcast", "bij,bjk->bik", "1, 5, 7", "2, 7, 4", "2, 5, 4"],
    ["sizes that may differ", "bij,bjk->bik", "2, 5, s0", "2, s1, 4", "2, 5, 4"],
    ["several rows of unknown sizes", "bxyi,bij->bxyj", "2, s0, s1, 7", "2, 7, 4", "2, s0, s1, 4"],
    ["subscripts that do not fit", "bij,bjk->bik", "2, 5", "2, 7, 4", "2, 5, 4"],
    ["subscripts that mean nothing", "b+j,bjk->bik", "2, 5, 7", "2, 7, 4", "2, 5, 4"],
  ])("leaves %s", (_, ...args) => {
    const before = einsum(...args);
    expect(expandEinsums(before, cpu())).toBe(before);
  });

  it("leaves other numbers of operands, and other dtypes", () => {
    const three = program(`user_input %x: f32[2, 5]
      %z: f32[2, 5] = aten::einsum(equation="ij,jk,kl->il", tensors=[%x, %x, %x])
      return %z`);
    const halves = program(`user_input %x: f16[5, 5]
      %z: f16[5, 5] = aten::einsum(equation="ij,jk->ik", tensors=[%x, %x])
      return %z`);
    for (const before of [three, halves]) expect(expandEinsums(before, cpu())).toBe(before);
  });
});
