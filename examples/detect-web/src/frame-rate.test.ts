import { expect, it } from "vitest";
import { FrameRate } from "./frame-rate.ts";

it("the frame rate is null at first, then that of the last frames only", () => {
  const rate = new FrameRate();
  expect(rate.add(0)).toBeNull();
  expect(rate.add(100)).toBe(10);
  expect(rate.add(300)).toBeCloseTo(2 / 0.3);
  for (let i = 1; i <= 20; i++) rate.add(300 + 50 * i);
  expect(rate.add(1350)).toBeCloseTo(20);
});
