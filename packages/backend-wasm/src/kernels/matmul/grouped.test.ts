import { type HostTensor, hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

const BODY = `
  user_input %x: f32[3, 2]
  user_input %w: f32[2, 2, 1]
  user_input %ends: i32[2]
  %y: f32[3, 1] = aten::_grouped_mm(self=%x, mat2=%w, offs=%ends)
  return %y`;

const x = hostTensor("float32", [3, 2], Float32Array.of(1, 2, 3, 4, 5, 6));
const w = hostTensor("float32", [2, 2, 1], Float32Array.of(1, 1, 1, 10));
const ends = (...values: readonly number[]): HostTensor => hostTensor("int32", [2], Int32Array.from(values));

test("rows of no group are zero, in every run", async () => {
  const results = await runBody(BODY, [
    [x, w, ends(1, 3)],
    [x, w, ends(0, 2)],
    [x, w, ends(0, 0)],
  ]);
  expect(results).toEqual([[[3, 43, 65]], [[21, 43, 0]], [[0, 0, 0]]]);
});

test.each([
  [2, 1],
  [0, 4],
  [-1, 3],
])("groups that end at %i and %i are refused", async (first, second) => {
  await expect(runBody(BODY, [[x, w, ends(first, second)]])).rejects.toMatchObject({
    code: "backend.index-out-of-range",
  });
});
