import { expect, it } from "vitest";
import { expectPass, program } from "../program.test-helper.ts";
import { foldSymbolicArithmetic } from "./fold-symbolic.ts";

it("foldSymbolicArithmetic folds sizes of fixed dimensions and expressions of them", () => {
  expectPass(
    foldSymbolicArithmetic,
    `user_input %x: f32[s0, 6]
     %n: int(s0) = aten::sym_size.int(%x, dim=0)
     %m: int = aten::sym_size.int(%x, dim=-1)
     %h: int = _operator::floordiv(a=%m, b=-4)
     %k: int = _operator::sub(a=%h, b=1)
     %f: float = _operator::truediv(a=%m, b=3)
     %g: bool = _operator::lt(a=%k, b=0)
     %t: int(2*s0) = _operator::mul(a=%n, b=2)
     %y: f32[2*s0, 3] = aten::view(%x, size=[%t, %m, %k])
     %z: f32[2*s0, 3] = aten::mul.Tensor(%y, other=%f)
     return %z, %g, %m`,
    `user_input %x: f32[s0, 6]
     %n: int(s0) = aten::sym_size.int(%x, dim=0)
     %t: int(2*s0) = _operator::mul(a=%n, b=2)
     %y: f32[2*s0, 3] = aten::view(%x, size=[%t, 6, -3])
     %z: f32[2*s0, 3] = aten::mul.Tensor(%y, other=2.0)
     return %z, true, 6`,
  );
});

it("foldSymbolicArithmetic uses results that the file records as constant, and keeps their node", () => {
  expectPass(
    foldSymbolicArithmetic,
    `user_input %x: f32[2]
     op: %y: f32[2], %n: int(3) = mylib::mixed(%x)
     %z: f32[2] = aten::add.Tensor(%y, other=%n)
     return %z`,
    `user_input %x: f32[2]
     op: %y: f32[2], %n: int(3) = mylib::mixed(%x)
     %z: f32[2] = aten::add.Tensor(%y, other=3)
     return %z`,
  );
});

it("foldSymbolicArithmetic uses relations between symbols", () => {
  expectPass(
    foldSymbolicArithmetic,
    `user_input %x: f32[s0, 6]
     %n: int(s0) = aten::sym_size.int(%x, dim=0)
     %a: int = _operator::add(a=%n, b=1)
     %d: int = _operator::sub(a=%n, b=%n)
     %w: int = torch::sym_ite(b=true, t=%d, f=7)
     return %w, %a`,
    `user_input %x: f32[s0, 6]
     %n: int(s0) = aten::sym_size.int(%x, dim=0)
     %a: int = _operator::add(a=%n, b=1)
     return 0, %a`,
  );
});

it("foldSymbolicArithmetic returns the same program when no size is known", () => {
  const input = program("user_input %x: f32[s0]\n %n: int(s0) = aten::sym_size.int(%x, dim=0)\n return %n");
  expect(foldSymbolicArithmetic(input)).toBe(input);
});
