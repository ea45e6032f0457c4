import { describe, expect, it } from "vitest";
import { lowerMatmuls } from "./lower-matmul.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const target = cpu(["pt2::matmul"]);

const product = (
  op: string,
  x: string,
  other: string,
  out: string,
  names = ["self", "other"],
): string => `user_input %x: f32[${x}]
  user_input %w: f32[${other}]
  %y: f32[${out}] = ${op}(${names[0]}=%x, ${names[1]}=%w)
  return %y`;

describe("lowerMatmuls", () => {
  it("lowers products of matrices and of batches", () => {
    expect(
      text(lowerMatmuls(program(product("aten::matmul", "3, 11, 13", "3, 13, 17", "3, 11, 17")), target)),
    ).toMatchInlineSnapshot(`
      "user_input %x: f32[3, 11, 13]
      user_input %w: f32[3, 13, 17]
      %matmul: f32[3, 11, 17] = pt2::matmul(x=%x, other=%w, bias=none, residual=none, attr="none", scalars=[], algorithm="")
      return %matmul"
    `);
    for (const text of [
      product("aten::bmm", "3, 11, 13", "3, 13, 17", "3, 11, 17", ["self", "mat2"]),
      product("aten::mm", "11, 13", "13, 17", "11, 17", ["self", "mat2"]),
      product("aten::matmul", "s0, s1, 13", "13, s2", "s0, s1, s2"),
    ]) {
      expect(lowerMatmuls(program(text), target).graph.nodes.map(({ op }) => op)).toEqual(["pt2::matmul"]);
    }
  });

  it("lowers linear layers and sums of which the matrix changes", () => {
    expect(
      text(
        lowerMatmuls(
          program(`user_input %x: f32[8, 128]
            user_input %w: f32[256, 128]
            user_input %b: f32[256]
            %y: f32[8, 256] = aten::linear(input=%x, weight=%w, bias=%b)
            return %y`),
          target,
        ),
      ),
    ).toMatchInlineSnapshot(`
      "user_input %x: f32[8, 128]
      user_input %w: f32[256, 128]
      user_input %b: f32[256]
      %t: f32[128, 256]{strides=[1, 128]} = aten::t(%w)
      %matmul: f32[8, 256] = pt2::matmul(x=%x, other=%t, bias=%b, residual=none, attr="none", scalars=[], algorithm="")
      return %matmul"
    `);
    const sum = (bias: string, more = "") =>
      program(`user_input %x: f32[8, 128]
      user_input %w: f32[128, 256]
      user_input %b: f32[${bias}]
      %y: f32[8, 256] = aten::addmm(self=%b, mat1=%x, mat2=%w${more})
      return %y`);
    expect(text(lowerMatmuls(sum("256"), target))).toMatchInlineSnapshot(`
      "user_input %x: f32[8, 128]
      user_input %w: f32[128, 256]
      user_input %b: f32[256]
      %matmul: f32[8, 256] = pt2::matmul(x=%x, other=%w, bias=%b, residual=none, attr="none", scalars=[], algorithm="")
      return %matmul"
    `);
    for (const other of [sum("1"), sum("8, 256"), sum("256", ", beta=2"), sum("256", ", alpha=0.5")]) {
      expect(lowerMatmuls(other, target)).toBe(other);
    }
  });

  it("leaves what packing takes as long as, vectors, other dtypes and transposes of products", () => {
    for (const text of [
      product("aten::matmul", "3, 7, 13", "3, 13, 17", "3, 7, 17"),
      product("aten::matmul", "3, 11, 13", "3, 13, 7", "3, 11, 7"),
      product("aten::matmul", "11, 13", "13", "11"),
      product("aten::matmul", "13", "13, 17", "17"),
      product("aten::matmul", "11, 13", "3, 13, 17", "3, 11, 17"),
      product("aten::matmul", "11, 13", "13, 17", "11, 17").replaceAll("f32", "f64"),
    ]) {
      const before = program(text);
      expect(lowerMatmuls(before, target)).toBe(before);
    }
  });

  it("leaves all to PyTorch where there is no kernel", () => {
    const before = program(product("aten::mm", "11, 13", "13, 17", "11, 17", ["self", "mat2"]));
    expect(lowerMatmuls(before, cpu())).toBe(before);
  });
});
