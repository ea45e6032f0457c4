import { expect, it } from "vitest";
import { expectPass, program } from "../program.test-helper.ts";
import { eliminateDeadCode } from "./dead-code.ts";

const isPure = ({ op }: { readonly op: string }) => !op.includes("_assert");
const pass = (input: Parameters<typeof eliminateDeadCode>[0]) => eliminateDeadCode(input, { isPure });

it("eliminateDeadCode removes unused nodes, and keeps effects and their operands", () => {
  expectPass(
    pass,
    `user_input %x: f32[2]
     %a: f32[2] = aten::relu(%x)
     %b: f32[2] = aten::exp(%a)
     %c: bool = aten::item(%x)
     check: aten::_assert_scalar(%c, assert_msg="no")
     [%d: f32[1], %e: f32[1]] = aten::split.Tensor(%x, split_size=1)
     return %e`,
    `user_input %x: f32[2]
     %c: bool = aten::item(%x)
     check: aten::_assert_scalar(%c, assert_msg="no")
     [%d: f32[1], %e: f32[1]] = aten::split.Tensor(%x, split_size=1)
     return %e`,
  );
});

it("eliminateDeadCode works in nested graphs", () => {
  expectPass(
    pass,
    `user_input %x: bool[]
     cond: %y: bool[] = higher_order::cond(%x, graph t(%x: bool[]) {
       %dead: bool[] = aten::logical_not(%x)
       return %x
     }, graph f(%x: bool[]) { return %x }, [%x])
     return %y`,
    `user_input %x: bool[]
     cond: %y: bool[] = higher_order::cond(%x, graph t(%x: bool[]) {
       return %x
     }, graph f(%x: bool[]) { return %x }, [%x])
     return %y`,
  );
});

it("eliminateDeadCode returns the same program when every node is used", () => {
  const input = program("user_input %x: f32[2]\n %a: f32[2] = aten::relu(%x)\n return %a");
  expect(pass(input)).toBe(input);
});
