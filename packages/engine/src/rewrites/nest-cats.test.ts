import { expect, test } from "vitest";
import { nestCats } from "./nest-cats.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

test("convolutions that have been joined are not joined again", () => {
  const before = program(`user_input %a: f32[2, 3]
    user_input %b: f32[2, 5]
    user_input %c: f32[2, 7]
    user_input %d: f32[2, 1]
    %ab: f32[2, 8] = aten::cat(tensors=[%a, %b], dim=1)
    %abc: f32[2, 15] = aten::cat(tensors=[%a, %b, %c], dim=-1)
    %y: f32[2, 16] = aten::cat(tensors=[%a, %b, %c, %d], dim=1)
    return %ab, %abc, %y`);
  expect(text(nestCats(before, target()))).toMatchInlineSnapshot(`
    "user_input %a: f32[2, 3]
    user_input %b: f32[2, 5]
    user_input %c: f32[2, 7]
    user_input %d: f32[2, 1]
    %ab: f32[2, 8] = aten::cat(tensors=[%a, %b], dim=1)
    %cat: f32[2, 15] = aten::cat(tensors=[%ab, %c], dim=1)
    %cat_1: f32[2, 16] = aten::cat(tensors=[%cat, %d], dim=1)
    return %ab, %cat, %cat_1"
  `);
});

test.each([
  [
    "along another dimension",
    "%m: f32[4, 3] = aten::cat(tensors=[%a, %a], dim=0)",
    "%y: f32[2, 9] = aten::cat(tensors=[%a, %a, %a], dim=1)",
  ],
  [
    "that does not come first",
    "%m: f32[2, 6] = aten::cat(tensors=[%a, %a], dim=1)",
    "%y: f32[2, 9] = aten::cat(tensors=[%b, %a, %a], dim=1)",
  ],
  [
    "that is all of it",
    "%m: f32[2, 6] = aten::cat(tensors=[%a, %b], dim=1)",
    "%y: f32[2, 6] = aten::cat(tensors=[%a, %b], dim=1)",
  ],
  [
    "of one tensor",
    "%m: f32[2, 3] = aten::cat(tensors=[%a], dim=1)",
    "%y: f32[2, 6] = aten::cat(tensors=[%a, %b], dim=1)",
  ],
  [
    "of another dtype",
    "%m: f32[2, 6] = aten::cat(tensors=[%a, %i], dim=1)",
    "%y: f64[2, 9] = aten::cat(tensors=[%a, %i, %e], dim=1)",
  ],
  [
    "with an empty vector",
    "%m: f32[2, 3] = aten::cat(tensors=[%a, %n], dim=1)",
    "%y: f32[2, 6] = aten::cat(tensors=[%a, %n, %b], dim=1)",
  ],
])("a whole stays as it is behind one %s", (_, first, second) => {
  const before = program(`user_input %a: f32[2, 3]
    user_input %b: f32[2, 3]
    user_input %i: i64[2, 3]
    user_input %e: f64[2, 3]
    user_input %n: f32[0]
    ${first}
    ${second}
    return %m, %y`);
  expect(nestCats(before, target())).toBe(before);
});
