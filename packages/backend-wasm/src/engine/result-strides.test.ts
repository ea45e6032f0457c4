import { channelsLast, type Layout } from "@pt2/engine";
import { describe, expect, test } from "vitest";
import { resultStrides } from "./result-strides.ts";

const always = (): boolean => true;

describe("strides of the result of a loop", () => {
  const shape = [2, 3, 5, 7];
  const rows: Layout = { shape, strides: [105, 35, 7, 1] };
  const pixels: Layout = { shape, strides: channelsLast(shape) };
  /** Three of eleven channels, which lie last. */
  const some: Layout = { shape, strides: [385, 1, 77, 11] };

  test("they are those of the first dense operand, and of a preferred one before others", () => {
    expect(resultStrides(shape, [pixels, rows], always)).toEqual(pixels.strides);
    expect(resultStrides(shape, [rows, pixels], (input) => input === pixels)).toEqual(pixels.strides);
  });

  test("the channels of a result lie last where those of an operand do that are some of others", () => {
    expect(resultStrides(shape, [some], always)).toEqual(pixels.strides);
    expect(resultStrides(shape, [rows, some], (input) => input === some)).toEqual(pixels.strides);
    expect(resultStrides(shape, [rows, some], always)).toEqual(rows.strides);
  });

  test("an operand that is broadcast, or whose elements lie in one place, tells nothing", () => {
    expect(resultStrides(shape, [{ shape: [3, 1, 1], strides: [1, 1, 1] }], always)).toEqual(rows.strides);
    expect(resultStrides(shape, [{ shape, strides: [15, 1, 3, 0] }], always)).toEqual(rows.strides);
  });
});
