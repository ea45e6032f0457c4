import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

test.each([
  ["upsample_nearest1d", 14, 23, 7],
  ["_upsample_nearest_exact1d", 20, 34, 15],
])("%s of doubles takes the positions that PyTorch's rounding gives", async (op, length, at, position) => {
  const [result] = await runByAnyThreads(
    `
    user_input %x: f64[1, 1, ${length}]
    %y: f64[1, 1, 46] = aten::${op}(self=%x, output_size=[46])
    return %y`,
    [
      hostTensor(
        "float64",
        [1, 1, length],
        Float64Array.from({ length }, (_, i) => i),
      ),
    ],
  );
  expect(result!.data[at]).toBe(position);
});
