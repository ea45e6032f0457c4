import { expect, it } from "vitest";
import { expectPass, program } from "../program.test-helper.ts";
import { canonicalizeStridedViews } from "./strided-views.ts";

const TEXT = `user_input %x: f32[2, 3]
       %y: f32[3, 2]{strides=[1, 3]} = aten::_reshape_alias(%x, size=[3, 2], stride=[1, 3])
       return %y`;

it("canonicalizeStridedViews rewrites _reshape_alias to as_strided", () => {
  expectPass(
    (input) => canonicalizeStridedViews(input, () => false),
    TEXT,
    TEXT.replace("_reshape_alias", "as_strided"),
  );
});

it("canonicalizeStridedViews keeps _reshape_alias if the user replaces it", () => {
  const input = program(TEXT);
  expect(canonicalizeStridedViews(input, (op) => op === "aten::_reshape_alias")).toBe(input);
});
