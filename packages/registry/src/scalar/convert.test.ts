import { bitsToFloat, floatToBits } from "@pt2/format";
import { expect, test } from "vitest";
import { convert } from "./convert.ts";

test.each(["float16", "bfloat16"] as const)(
  "a number is rounded to %s as to its bits, next to every one and halfway between two",
  (dtype) => {
    const scratch = new Float32Array(1);
    const word = new Uint32Array(scratch.buffer);
    for (let bits = 0; bits < 0x8000; bits++) {
      const [low, high] = [bitsToFloat(dtype, bits), bitsToFloat(dtype, bits + 1)];
      scratch[0] = (low + high) / 2;
      const middle = word[0]!;
      for (const each of [middle - 1, middle, middle + 1, middle + ((bits * 40503) % 4096)]) {
        word[0] = each;
        for (const x of [scratch[0], -scratch[0], low, -low]) {
          const [found, right] = [convert(dtype, x) as number, bitsToFloat(dtype, floatToBits(dtype, x))];
          if (!Object.is(found, right)) expect([x, found]).toEqual([x, right]);
        }
      }
    }
    for (const x of [
      0,
      -0,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      65519.99,
      65520,
      -65520,
      1e30,
      2 ** -25,
      2 ** -26,
      -(2 ** -149),
    ]) {
      expect(convert(dtype, Math.fround(x))).toBe(bitsToFloat(dtype, floatToBits(dtype, Math.fround(x))));
    }
  },
);
