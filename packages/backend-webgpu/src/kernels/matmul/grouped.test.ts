import { type Executable, type HostTensor, hostTensor } from "@pt2/backend";
import { floats, programOf, registryOf, run } from "@pt2/conformance";
import { expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { variantBackend } from "../../variants.test-helper.ts";

const BODY = `user_input %x: f32[3, 2]
  user_input %w: f32[2, 2, 1]
  user_input %ends: i32[2]
  %y: f32[3, 1] = aten::_grouped_mm(self=%x, mat2=%w, offs=%ends)
  return %y`;

const x = floats([3, 2], 1, 2, 3, 4, 5, 6);
const w = floats([2, 2, 1], 1, 1, 1, 10);
const ends = (...values: readonly number[]): HostTensor => hostTensor("int32", [2], Int32Array.from(values));

await describeWithDevice("_grouped_mm", () => {
  const compile = async (): Promise<Executable> => {
    const backend = await variantBackend("on a GPU");
    return await backend.compile({ program: programOf(BODY), weights: new Map(), registry: registryOf() });
  };

  test("rows of no group are zero, in every run", async () => {
    const executable = await compile();
    expect(await run(executable, x, w, ends(1, 3))).toEqual([[3, 43, 65]]);
    expect(await run(executable, x, w, ends(0, 2))).toEqual([[21, 43, 0]]);
    expect(await run(executable, x, w, ends(0, 0))).toEqual([[0, 0, 0]]);
    await executable.dispose();
  });

  test.each([
    [2, 1],
    [0, 4],
    [-1, 3],
  ])("groups that end at %i and %i are refused", async (first, second) => {
    const executable = await compile();
    await expect(run(executable, x, w, ends(first, second))).rejects.toMatchObject({
      code: "backend.index-out-of-range",
    });
    await executable.dispose();
  });
});
