import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { expectPass, program } from "../program.test-helper.ts";
import { validate } from "../validate/validate.ts";
import { removeNoOps } from "./remove-no-ops.ts";

describe("removeNoOps", () => {
  it("removeNoOps removes ops without effect", () => {
    expectPass(
      removeNoOps,
      `user_input %x: f32[s0, 3]
       %n: int(s0) = aten::sym_size.int(%x, dim=0)
       %ok: bool(s0 > 0) = _operator::gt(a=%n, b=0)
       check: aten::_assert_scalar(%ok, assert_msg="empty")
       range: aten::sym_constrain_range_for_size(size=%n)
       known: aten::_assert_tensor_metadata(a=%x, dtype=torch.float32, device=device(cpu))
       other: aten::_assert_tensor_metadata(a=%x, dtype=torch.float64)
       asked: none = aten::promote_types(type1=torch.float32, type2=torch.int64)
       %a: f32[s0, 3] = aten::detach(%x)
       %b: f32[s0, 3] = aten::dropout(input=%a, p=0.5, train=false)
       %c: f32[s0, 3] = aten::dropout(input=%b, p=0.5, train=true)
       %d: f32[s0, 3] = aten::lift_fresh_copy(%c)
       %e: f32[s0, 3] = aten::contiguous(%d)
       %f: f32[s0, 3] = aten::expand(%e, size=[%n, 3])
       %g: f32[s0, 3] = aten::slice.Tensor(%f, dim=1, start=0, end=9223372036854775807)
       drop: %h: f32[s0, 3], %mask: bool[s0, 3] = aten::native_dropout(input=%g, p=0.5, train=false)
       return %h, %x`,
      `user_input %x: f32[s0, 3]
       %n: int(s0) = aten::sym_size.int(%x, dim=0)
       %ok: bool(s0 > 0) = _operator::gt(a=%n, b=0)
       check: aten::_assert_scalar(%ok, assert_msg="empty")
       range: aten::sym_constrain_range_for_size(size=%n)
       other: aten::_assert_tensor_metadata(a=%x, dtype=torch.float64)
       %c: f32[s0, 3] = aten::dropout(input=%x, p=0.5, train=true)
       return %c, %x`,
    );
  });

  it("removeNoOps keeps conversions that change the tensor, and explicit copies", () => {
    expectPass(
      removeNoOps,
      `user_input %x: f32[2, 3]
       %a: f32[2, 3] = aten::to.dtype(%x, dtype=torch.float32)
       %b: f32[2, 3] = aten::_to_copy(%a, dtype=torch.float32)
       %c: f16[2, 3] = aten::to.dtype(%b, dtype=torch.float16)
       %d: f16[2, 3] = aten::to.dtype(%c, dtype=torch.float16, copy=true)
       %e: f16[2, 3]{device=cuda:0} = aten::to.device(%d, device=device(cuda:0), dtype=torch.float16)
       %f: f16[3, 2]{strides=[1, 3]} = aten::t(%d)
       %g: f16[3, 2] = aten::contiguous(%f)
       return %e, %g`,
      `user_input %x: f32[2, 3]
       %c: f16[2, 3] = aten::to.dtype(%x, dtype=torch.float16)
       %d: f16[2, 3] = aten::to.dtype(%c, dtype=torch.float16, copy=true)
       %e: f16[2, 3]{device=cuda:0} = aten::to.device(%d, device=device(cuda:0), dtype=torch.float16)
       %f: f16[3, 2]{strides=[1, 3]} = aten::t(%d)
       %g: f16[3, 2] = aten::contiguous(%f)
       return %e, %g`,
    );
  });

  it("removeNoOps removes copies for backends with logical views", () => {
    expectPass(
      (input) => removeNoOps(input, { logicalViews: true }),
      `user_input %x: f32[2, 3]
       %f: f32[3, 2]{strides=[1, 3]} = aten::t(%x)
       %g: f32[3, 2] = aten::contiguous(%f)
       %h: f32[3, 2] = aten::clone(%g, memory_format=torch.contiguous_format)
       return %h`,
      `user_input %x: f32[2, 3]
       %f: f32[3, 2]{strides=[1, 3]} = aten::t(%x)
       return %f`,
    );
  });

  it("removeNoOps keeps copies where the program mutates a tensor", () => {
    const text = `tensor_constant "c" = %c: f32[2]
       %a: f32[2] = aten::lift_fresh_copy(%c)
       %b: f32[2] = aten::add_.Tensor(%a, other=1)
       return %b`;
    expectPass((input) => removeNoOps(input, { logicalViews: true }), text, text);
  });

  it("removeNoOps inlines no-grad regions, also nested ones", () => {
    expectPass(
      removeNoOps,
      `user_input %x: f32[2]
       %mul: f32[2] = aten::mul.Tensor(%x, other=2)
       region: %getitem: f32[2], %other: f32[2] = higher_order::wrap_with_set_grad_enabled(false, graph submod(%x: f32[2], %y: f32[2]) {
         %mul: f32[2] = aten::mul.Tensor(%x, other=%y)
         inner: %r: f32[2] = higher_order::wrap_with_autocast("cpu", none, false, none, graph g(%q: f32[2]) {
           %mul: f32[2] = aten::sin(%q)
           return %mul
         }, %mul)
         return %r, %y
       }, %mul, %x)
       return %getitem, %other`,
      `user_input %x: f32[2]
       %mul: f32[2] = aten::mul.Tensor(%x, other=2)
       %mul_1: f32[2] = aten::mul.Tensor(%mul, other=%x)
       %mul_2: f32[2] = aten::sin(%mul_1)
       return %mul_2, %x`,
    );
  });

  it("removeNoOps removes tokens that order checks, and keeps those of other effects", () => {
    expectPass(
      removeNoOps,
      `token %token: f32[0]
       user_input %info: i32[]
       check: %t1: f32[0], none = higher_order::with_effects(%token, &aten::_linalg_check_errors, %info, "inv", is_matrix=true)
       show: %t2: f32[0], none = higher_order::with_effects(%t1, &aten::_print, "done")
       return %t2 -> token, %info`,
      `token %token: f32[0]
       user_input %info: i32[]
       check: aten::_linalg_check_errors(info=%info, api_name="inv", is_matrix=true)
       show: %t2: f32[0], none = higher_order::with_effects(%token, &aten::_print, "done")
       return %t2 -> token, %info`,
    );
  });

  it("removeNoOps drops tokens when no effect remains", () => {
    expectPass(
      removeNoOps,
      `token %token: f32[0]
       user_input %info: i32[]
       check: %t: f32[0], none = higher_order::with_effects(%token, &aten::_linalg_check_errors, %info, "inv", is_matrix=true)
       return %t -> token, %info`,
      `user_input %info: i32[]
       check: aten::_linalg_check_errors(info=%info, api_name="inv", is_matrix=true)
       return %info`,
    );
  });

  it("removeNoOps inlines what only has hints", () => {
    expectPass(
      removeNoOps,
      `user_input %x: f32[2]
       hints: %y: f32[2] = higher_order::hints_wrapper(graph g(%a: f32[2], %b: f32[2]) {
         %r: f32[2] = aten::mul.Tensor(%a, other=%b)
         return %r
       }, [%x, %x], {}, hints={"fast": true})
       return %y`,
      `user_input %x: f32[2]
       %r: f32[2] = aten::mul.Tensor(%x, other=%x)
       return %r`,
    );
  });

  it("removeNoOps inlines graphs of constants", () => {
    expectPass(
      removeNoOps,
      `user_input %x: f32[2]
       run: %y: f32[2] = higher_order::run_const_graph(graph g(%a: f32[2]) {
         %r: f32[2] = aten::mul.Tensor(%a, other=2)
         return %r
       }, [%x])
       return %y`,
      `user_input %x: f32[2]
       %r: f32[2] = aten::mul.Tensor(%x, other=2)
       return %r`,
    );
  });

  it("removeNoOps keeps enabled autocast", () => {
    const text = `user_input %x: f32[2]
       auto: %y: bf16[2] = higher_order::wrap_with_autocast("cpu", torch.bfloat16, true, true, graph g(%x: f32[2]) {
         %r: bf16[2] = aten::f(%x)
         return %r
       }, %x)
       return %y`;
    const input = program(text);
    expect(removeNoOps(input)).toBe(input);
  });

  it.each(FIXTURES)("removeNoOps keeps %s valid", async (path) => {
    for (const logicalViews of [false, true]) {
      expect(validate(removeNoOps(await fixture(path), { logicalViews }))).toEqual([]);
    }
  });
});
