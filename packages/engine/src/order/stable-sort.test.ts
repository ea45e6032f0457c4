import { describe, expect, test } from "vitest";
import { stableSort } from "./stable-sort.ts";

/** The same numbers each time, from 0 to 1. */
function drawn(count: number): readonly number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  });
}

const { POSITIVE_INFINITY: infinity } = Number;

const KEYS: Readonly<Record<string, (x: number) => number>> = {
  "one value": () => -3,
  "few integers": (x) => Math.floor(x * 9) - 4,
  "integers of two digits": (x) => Math.floor(x * 60000) - 30000,
  "integers as far apart as words are": (x) => (x < 0.1 ? -(2 ** 31) : x > 0.9 ? 2 ** 31 - 1 : Math.floor(x * 99)),
  "integers farther apart": (x) => (x < 0.1 ? -(2 ** 53) : x > 0.9 ? 2 ** 53 : Math.floor(x * 2 ** 40)),
  "large integers close to each other": (x) => 2 ** 52 + Math.floor(x * 99),
  doubles: (x) => Math.tan(3 * x),
  "doubles that differ in their last bits": (x) => 1 + Math.floor(x * 99) * Number.EPSILON,
  "zeros of both signs and infinities": (x) => [0, -0, infinity, -infinity, 5e-324, -5e-324][Math.floor(x * 6)]!,
};

describe.each(Object.keys(KEYS))("a stable sort of %s", (what) => {
  test.each([0, 1, 2, 64, 65, 300, 5003])("puts %i elements into the order of a comparison", (size) => {
    const keys = Float64Array.from(drawn(size), KEYS[what]!);
    const at = Int32Array.from(keys.keys());
    stableSort({ keys, at });
    expect(at).toEqual(
      Int32Array.from(keys.keys()).sort((a, b) => Number(keys[a]! > keys[b]!) - Number(keys[a]! < keys[b]!) || a - b),
    );
  });

  test("orders some of the elements, starting from the order that they have", () => {
    const keys = Float64Array.from(drawn(900), KEYS[what]!);
    const given = [...keys.keys()].filter((i) => i % 3 > 0).reverse();
    const at = Int32Array.from(given);
    stableSort({ keys, at });
    expect([...at]).toEqual(given.sort((a, b) => Number(keys[a]! > keys[b]!) - Number(keys[a]! < keys[b]!)));
  });
});
