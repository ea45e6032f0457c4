import { hostTensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../threads/by-any-threads.test-helper.ts";

const TYPES = [
  ["int8", "i8", Int8Array, 8, true],
  ["uint8", "u8", Uint8Array, 8, false],
  ["int16", "i16", Int16Array, 16, true],
  ["int32", "i32", Int32Array, 32, true],
  ["int64", "i64", BigInt64Array, 64, true],
] as const;

/** As C++ computes it: what has fewer than 32 bits is promoted, and the smallest number has no opposite. */
function expected(a: bigint, b: bigint, bits: number, signed: boolean): readonly [gcd: bigint, lcm: bigint] {
  const wrap = (x: bigint): bigint => (signed ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x));
  const wide = (x: bigint): bigint => BigInt.asIntN(Math.max(bits, 32), x);
  const abs = (x: bigint): bigint => (x < 0n ? -x : x);
  let [x, y] = [wrap(abs(a)), wrap(abs(b))];
  while (x !== 0n) [x, y] = [y % x, x];
  return [wrap(y), y === 0n ? 0n : wrap(wide(abs(wide((a / y) * b))))];
}

test.each(TYPES)(
  "divisors and multiples of %s are those of exact arithmetic, also at its ends",
  async (dtype, type, Type, bits, signed) => {
    const unit = randomUnit(3);
    const least = signed ? -(2n ** BigInt(bits - 1)) : 0n;
    const most = signed ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
    const ends = [least, least + 1n, most, most - 1n, 0n, 1n, 2n, 6n, 60n];
    const longs =
      bits < 64 ? [] : [2n ** 31n, -(2n ** 31n), 2n ** 32n, -(2n ** 32n) - 1n, 2n ** 31n - 1n, 3n * 2n ** 40n];
    const some = Array.from({ length: 12 }, () => BigInt(Math.floor(unit() * 2 ** Math.min(bits - 1, 20))));
    const all = [...ends, ...longs, ...some, ...(signed ? some.map((x) => -x) : [])];
    const n = all.length;
    const tensor = (shape: readonly number[]) =>
      hostTensor(
        dtype as DType,
        shape,
        Type === BigInt64Array ? BigInt64Array.from(all) : new (Type as typeof Int32Array)(all.map(Number)),
      );
    const [divisors, multiples] = await runByAnyThreads(
      `
    user_input %a: ${type}[${n}, 1]
    user_input %b: ${type}[${n}]
    %x: ${type}[${n}, ${n}] = aten::gcd(self=%a, other=%b)
    %y: ${type}[${n}, ${n}] = aten::lcm(self=%a, other=%b)
    return %x, %y`,
      [tensor([n, 1]), tensor([n])],
    );
    const right = all.flatMap((a) => all.map((b) => expected(a, b, bits, signed)));
    expect(Array.from(divisors!.data as ArrayLike<number | bigint>, BigInt)).toEqual(right.map(([divisor]) => divisor));
    expect(Array.from(multiples!.data as ArrayLike<number | bigint>, BigInt)).toEqual(
      right.map(([, multiple]) => multiple),
    );
  },
);
