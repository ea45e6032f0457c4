import { expect, it } from "vitest";
import { contain } from "./placement.ts";

it("a picture lies in the middle of the stage, as large as fits", () => {
  expect(contain({ width: 200, height: 100 }, { width: 400, height: 300 })).toEqual({ left: 0, top: 50, scale: 2 });
  expect(contain({ width: 100, height: 300 }, { width: 400, height: 300 })).toEqual({ left: 150, top: 0, scale: 1 });
});
