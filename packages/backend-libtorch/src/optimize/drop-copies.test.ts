import { describe, expect, it } from "vitest";
import { dropCopies } from "./drop-copies.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("dropCopies", () => {
  it("keeps copies where something counts elements from the beginning of their memory", () => {
    const before = program(`user_input %x: f32[6]
      %a: f32[6] = aten::relu(%x)
      %b: f32[4]{offset=2} = aten::slice.Tensor(%a, dim=0, start=2, end=6, step=1)
      %c: f32[4] = aten::clone(%b)
      %d: f32[2]{strides=[2]} = aten::as_strided(%c, size=[2], stride=[2], storage_offset=0)
      return %d`);
    expect(dropCopies(before, cpu())).toBe(before);
  });

  it("keeps copies that compute conjugates and negated views", () => {
    const before = program(`user_input %x: c64[2]
      %a: c64[2] = aten::sin(%x)
      %b: c64[2] = aten::_conj(%a)
      %c: c64[2] = aten::clone(%b)
      %d: f32[2, 2] = aten::view_as_real(%c)
      %e: f32[2, 2] = aten::exp(%d)
      %f: f32[2, 2] = aten::_neg_view(%e)
      %g: f32[4] = aten::view(%f, size=[4])
      %h: f32[4] = aten::clone(%g)
      %i: i32[4] = aten::view.dtype(%h, dtype=torch.int32)
      return %d, %i`);
    expect(dropCopies(before, cpu())).toBe(before);
  });

  it("keeps copies of views that contain an element twice where parts are written, and those that change symbolic strides", () => {
    for (const before of [
      program(`user_input %x: f32[3]
      user_input %y: f32[2]
      %a: f32[3] = aten::sin(%x)
      %b: f32[2, 2]{strides=[1, 1]} = aten::unfold(%a, dimension=0, size=2, step=1)
      %c: f32[2, 2] = aten::clone(%b)
      %d: f32[2, 2]{strides=[1, 2]} = aten::transpose.int(%c, dim0=0, dim1=1)
      %e: f32[2] = aten::neg(%y)
      %f: f32[2, 2]{strides=[1, 2]} = aten::select_scatter(%d, src=%e, dim=0, index=0)
      return %f`),
      program(`user_input %x: f32[3]
      user_input %y: f32[2]
      %a: f32[3] = aten::sin(%x)
      %b: f32[2, 3]{strides=[0, 1]} = aten::expand(%a, size=[2, 3])
      %c: f32[2, 3] = aten::clone(%b)
      %d: f32[3, 2]{strides=[1, 3]} = aten::transpose.int(%c, dim0=0, dim1=1)
      %e: f32[2] = aten::neg(%y)
      %f: f32[3, 2]{strides=[1, 3]} = aten::select_scatter(%d, src=%e, dim=0, index=0)
      return %f`),
      program(`user_input %x: f32[s0, s1, 5]
      %a: f32[s0, s1, 5] = aten::sin(%x)
      %b: f32[s1, s0, 5]{strides=[5, 5*s1, 1]} = aten::permute(%a, dims=[1, 0, 2])
      %c: f32[s1, s0, 5] = aten::clone(%b, memory_format=torch.contiguous_format)
      %d: f32[s1, s0, 5] = aten::neg(%c)
      return %d`),
    ]) {
      expect(dropCopies(before, cpu())).toBe(before);
    }
  });

  it("leaves out copies of what was computed", () => {
    const before = program(`user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %b: f32[2, 3] = aten::clone(%a)
      %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%b, dims=[1, 0])
      %c: f32[3, 2] = aten::clone(%t, memory_format=torch.contiguous_format)
      %d: f32[6] = aten::view(%c, size=[6])
      %n: f32[2, 3] = aten::neg(%b)
      return %n, %d`);
    expect(text(dropCopies(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%a, dims=[1, 0])
      %d: f32[6] = aten::view(%t, size=[6])
      %n: f32[2, 3] = aten::neg(%a)
      return %n, %d"
    `);
  });

  it("leaves out what is put together with nothing before it is put together with something", () => {
    const before = program(`user_input %x: f16[1, 3, s0, 4]
      user_input %y: f16[1, 3, 1, 4]
      user_input %v: f16[5]
      %e: f16[0] = aten::zeros(size=[0], dtype=torch.float16)
      %f: f32[0] = aten::zeros(size=[0])
      %a: f16[1, 3, s0, 4] = aten::cat(tensors=[%e, %x, %e], dim=-2)
      %b: f16[1, 3, s0 + 1, 4] = aten::cat(tensors=[%a, %y], dim=-2)
      %c: f16[5] = aten::cat(tensors=[%v, %e])
      %d: f16[10] = aten::cat(tensors=[%v, %c])
      %g: f32[5] = aten::cat(tensors=[%f, %v])
      %h: f32[10] = aten::cat(tensors=[%g, %v])
      %i: f16[0] = aten::cat(tensors=[%e, %e])
      %j: f16[5] = aten::cat(tensors=[%i, %v])
      return %b, %c, %d, %h, %j`);
    expect(text(dropCopies(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f16[1, 3, s0, 4]
      user_input %y: f16[1, 3, 1, 4]
      user_input %v: f16[5]
      %e: f16[0] = aten::zeros(size=[0], dtype=torch.float16)
      %f: f32[0] = aten::zeros(size=[0])
      %cat: f16[1, 3, s0 + 1, 4] = aten::cat(tensors=[%x, %y], dim=-2)
      %c: f16[5] = aten::cat(tensors=[%v, %e])
      %cat_1: f16[10] = aten::cat(tensors=[%v, %v])
      %g: f32[5] = aten::cat(tensors=[%f, %v])
      %h: f32[10] = aten::cat(tensors=[%g, %v])
      %i: f16[0] = aten::cat(tensors=[%e, %e])
      %j: f16[5] = aten::cat(tensors=[%i, %v])
      return %cat, %c, %cat_1, %h, %j"
    `);
  });

  it("leaves out copies before kernels of this package, which take any layout", () => {
    const before = program(`user_input %x: f32[1, 8, 4, 4]
      %a: f32[1, 8, 4, 4] = aten::relu(%x)
      %t: f32[1, 8, 4, 4]{strides=[128, 16, 1, 4]} = aten::permute(%a, dims=[0, 1, 3, 2])
      %c: f32[1, 8, 4, 4] = aten::contiguous(%t)
      %y: f32[1, 8, 2, 2] = pt2::max_pool2d(x=%c)
      %d: f32[1, 8, 4, 4] = aten::contiguous(%t)
      %z: f32[1, 8, 4, 4] = aten::neg(%d)
      return %y, %z`);
    expect(text(dropCopies(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[1, 8, 4, 4]
      %a: f32[1, 8, 4, 4] = aten::relu(%x)
      %t: f32[1, 8, 4, 4]{strides=[128, 16, 1, 4]} = aten::permute(%a, dims=[0, 1, 3, 2])
      %y: f32[1, 8, 2, 2] = pt2::max_pool2d(x=%t)
      %d: f32[1, 8, 4, 4] = aten::contiguous(%t)
      %z: f32[1, 8, 4, 4] = aten::neg(%d)
      return %y, %z"
    `);
  });

  it("leaves out paddings by nothing, and views that are the tensor itself", () => {
    const before = program(`user_input %x: f32[2, 1, 3]
      %a: f32[2, 1, 3] = aten::relu(%x)
      %b: f32[2, 1, 3] = aten::constant_pad_nd(%a, pad=[0, 0, 0, 0])
      %c: f32[2, 1, 3]{strides=[3, 1, 1]} = aten::as_strided(%b, size=[2, 1, 3], stride=[3, 1, 1])
      %d: f32[2, 1, 3] = aten::neg(%c)
      %e: f32[2, 1, 5] = aten::constant_pad_nd(%d, pad=[1, 1])
      return %d, %e`);
    expect(text(dropCopies(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 1, 3]
      %a: f32[2, 1, 3] = aten::relu(%x)
      %d: f32[2, 1, 3] = aten::neg(%a)
      %e: f32[2, 1, 5] = aten::constant_pad_nd(%d, pad=[1, 1])
      return %d, %e"
    `);
  });

  it("leaves out a copy that is read slice by slice", () => {
    const body = (index: number) => `user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%a, dims=[1, 0])
      %b: f32[3, 2] = aten::contiguous(%t)
      %c: f32[2] = aten::select.int(%b, dim=0, index=0)
      %d: f32[2] = aten::select.int(%b, dim=0, index=${index})
      %e: f32[2] = aten::add.Tensor(%c, other=%d)
      return %e`;
    expect(text(dropCopies(program(body(2)), cpu()))).not.toContain("aten::contiguous");
    expect(text(dropCopies(program(body(0)), cpu()))).toContain("aten::contiguous");
  });

  it("keeps copies of inputs, results, and what several nodes read in its new layout", () => {
    const before = program(`user_input %x: f32[2, 3]
      %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%x, dims=[1, 0])
      %a: f32[3, 2] = aten::clone(%t, memory_format=torch.contiguous_format)
      %b: f32[6] = aten::view(%a, size=[6])
      %c: f32[2, 3] = aten::relu(%x)
      %d: f32[2, 3] = aten::clone(%c)
      %e: f32[3, 2]{strides=[1, 3]} = aten::permute(%c, dims=[1, 0])
      %f: f32[3, 2] = aten::clone(%e, memory_format=torch.contiguous_format)
      %g: f32[3, 2] = aten::neg(%f)
      %h: f32[3, 2] = aten::exp(%f)
      %i: f32[3, 2] = aten::clone(%e, memory_format=torch.contiguous_format)
      %j: f32[3, 2] = aten::neg(%i)
      return %b, %c, %d, %g, %h, %j`);
    expect(dropCopies(before, cpu())).toBe(before);
  });

  it("keeps the layout where something looks at strides", () => {
    const before = program(`user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %t: f32[3, 2]{strides=[1, 3]} = aten::permute(%a, dims=[1, 0])
      %b: f32[3, 2] = aten::clone(%t, memory_format=torch.contiguous_format)
      %c: f32[2] = aten::as_strided(%b, size=[2], stride=[1])
      return %c`);
    expect(dropCopies(before, cpu())).toBe(before);
  });
});
