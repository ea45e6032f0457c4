import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

test("every byte except zero is true", async () => {
  const [results] = await runBody(
    `
  user_input %x: u8[4]
  user_input %y: i16[2]
  %a: bool[4] = aten::view.dtype(self=%x, dtype=torch.bool)
  %b: bool[4] = aten::view.dtype(self=%y, dtype=torch.bool)
  %c: bool[4] = aten::logical_not(self=%a)
  %d: i64[] = aten::sum(self=%a)
  return %a, %b, %c, %d`,
    [[hostTensor("uint8", [4], Uint8Array.of(253, 2, 0, 1)), hostTensor("int16", [2], Int16Array.of(253, 512))]],
  );
  expect(results).toEqual([[1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 0], [3n]]);
});
