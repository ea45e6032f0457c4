import { expect, it } from "vitest";
import { meanProfile } from "./mean-profile.ts";

it("meanProfile returns the mean of every step", () => {
  const profile = (ms: number) => ({
    outputs: [],
    totalMs: 2 * ms,
    steps: [{ node: "n", ops: ["aten::relu"], where: "", startMs: ms / 2, ms }],
  });
  expect(meanProfile([profile(1), profile(3)])).toEqual(profile(2));
});
