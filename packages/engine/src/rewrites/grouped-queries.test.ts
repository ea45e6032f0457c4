import { describe, expect, it } from "vitest";
import { groupQueries } from "./grouped-queries.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const INPUTS = `user_input %q: f32[2, 6, 5, 4]
  user_input %k: f32[2, 3, 7, 4]
  user_input %v: f32[2, 3, 7, 4]`;

/** `x` with each of its heads twice, as transformers writes it. */
const stretched = (
  x: string,
  size = "[2, 3, 2, 7, 4]",
  dim = 2,
): string => `%${x}1: f32[2, 3, 1, 7, 4] = aten::unsqueeze(%${x}, dim=${dim})
  %${x}2: f32${size}{strides=[84, 28, 0, 4, 1]} = aten::expand(%${x}1, size=${size})
  %${x}3: f32[2, 6, 7, 4] = aten::reshape(%${x}2, shape=[2, 6, 7, 4])`;

const ATTENTION = `%y: f32[2, 6, 5, 4] = aten::scaled_dot_product_attention(query=%q, key=%k3, value=%v3, scale=0.5)
  return %y`;

const rewritten = (...lines: readonly string[]): string =>
  text(groupQueries(program([...lines, ATTENTION].join("\n")), target()));
const GROUPED = "aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, scale=0.5, enable_gqa=true)";

describe("groupQueries", () => {
  it("tells attention that heads share keys and values, which are then not repeated", () => {
    expect(rewritten(INPUTS, stretched("k"), stretched("v"))).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 6, 5, 4]
      user_input %k: f32[2, 3, 7, 4]
      user_input %v: f32[2, 3, 7, 4]
      %scaled_dot_product_attention: f32[2, 6, 5, 4] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, scale=0.5, enable_gqa=true)
      return %scaled_dot_product_attention"
    `);
  });

  it.each([
    ["inserted from the end", [INPUTS, stretched("k", undefined, -3), stretched("v")]],
    [
      "copied before they are viewed",
      [
        INPUTS,
        stretched("k")
          .replace("%k3", "%c: f32[2, 3, 2, 7, 4] = aten::clone(%k2)\n  %k3")
          .replace("reshape(%k2, shape", "view(%c, size"),
        stretched("v"),
      ],
    ],
    [
      "repeated by repeat_interleave",
      [
        INPUTS,
        ...["k", "v"].map(
          (x) => `%${x}3: f32[2, 6, 7, 4] = aten::repeat_interleave.self_int(%${x}, repeats=2, dim=-3)`,
        ),
      ],
    ],
    [
      "one head that is broadcast",
      [
        INPUTS.replaceAll("[2, 3, 7, 4]", "[2, 1, 7, 4]"),
        ...["k", "v"].map((x) => `%${x}3: f32[2, 6, 7, 4] = aten::expand(%${x}, size=[2, 6, -1, -1])`),
      ],
    ],
    [
      "of a length that is open",
      [INPUTS, "%n: int(s0) = aten::sym_size.int(%k, dim=2)", stretched("k"), stretched("v")].map((line) =>
        line.replaceAll(/(= aten.*) 7,/g, "$1 %n,").replaceAll(" 7,", " s0,"),
      ),
    ],
  ])("recognizes heads that are %s", (_, lines) => {
    expect(rewritten(...lines)).toContain(GROUPED);
  });

  it.each([
    ["keys alone are repeated", [INPUTS.replace("%v: f32[2, 3", "%v3: f32[2, 6"), stretched("k")]],
    [
      "whole sequences of heads are repeated, not each head",
      [
        INPUTS,
        ...["k", "v"].map((x) =>
          stretched(x, "[2, 2, 3, 7, 4]", 1).replace("f32[2, 3, 1, 7, 4]", "f32[2, 1, 3, 7, 4]"),
        ),
      ],
    ],
    [
      "keys are repeated along their length",
      [
        INPUTS.replaceAll("[2, 3, 7, 4]", "[2, 6, 7, 4]"),
        ...["k", "v"].map(
          (x) => `%${x}3: f32[2, 6, 14, 4] = aten::repeat_interleave.self_int(%${x}, repeats=2, dim=2)`,
        ),
      ],
    ],
    [
      "another dimension is broadcast",
      [
        INPUTS.replaceAll("[2, 3, 7, 4]", "[1, 6, 7, 4]"),
        ...["k", "v"].map((x) => `%${x}3: f32[2, 6, 7, 4] = aten::expand(%${x}, size=[2, 6, 7, 4])`),
      ],
    ],
  ])("keeps attention whose %s", (_, lines) => {
    expect(rewritten(...lines)).not.toContain("enable_gqa");
  });

  it("keeps programs of a backend that lacks attention, and calls that share heads already", () => {
    const before = program([INPUTS, stretched("k"), stretched("v"), ATTENTION].join("\n"));
    expect(groupQueries(before, target(["aten::scaled_dot_product_attention"]))).toBe(before);
    const grouped = program(
      `${INPUTS}\n  ${ATTENTION.replace("key=%k3, value=%v3", "key=%k, value=%v").replace("scale=0.5", "enable_gqa=true")}`,
    );
    expect(groupQueries(grouped, target())).toBe(grouped);
  });
});
