import { bitsToFloat } from "@pt2/format";
import { expect, it } from "vitest";
import { memoryOf } from "./elements.ts";

it("every number of float16 is written as its bits, and what is larger as infinity", () => {
  const bits = Uint16Array.from({ length: 2 ** 16 }, (_, i) => i).filter((i) => (i & 0x7fff) <= 0x7c00);
  const numbers = Float32Array.from(bits, (i) => bitsToFloat("float16", i));
  expect(memoryOf(numbers, "float16")).toEqual(bits);
  expect(memoryOf(Float32Array.of(-3.4028234663852886e38), "float16")).toEqual(Uint16Array.of(0xfc00));
});

it("wider numbers are written to memory as they are", () => {
  for (const numbers of [Float32Array.of(1, 2), Float64Array.of(3)]) {
    expect(memoryOf(numbers, numbers instanceof Float32Array ? "float32" : "float64")).toBe(numbers);
  }
});
