import { describe, expect, test } from "vitest";
import { BUILDS, random, testbed } from "./kernels.test-helper.ts";

const rng = random(7);
const DTYPES = { bfloat16: 1, float16: 0 } as const;
type Half = keyof typeof DTYPES;

/** Bits of numbers below two, some of them denormal; of ones that are not finite if told so. */
function bitsOf(dtype: Half, length: number, finite: boolean): Uint16Array {
  const [one, infinite] = dtype === "bfloat16" ? [0x3f80, 0x7f80] : [0x3c00, 0x7c00];
  const bits = Uint16Array.from({ length }, () => rng.below(rng.below(8) === 0 ? 4 : one) | (rng.below(2) << 15));
  if (!finite) [bits[3], bits[length - 2]] = [infinite, infinite + 5];
  return bits;
}

/** The float32 that 16 bits stand for. */
function floatOf(dtype: Half, bits: number): number {
  if (dtype === "bfloat16") return new Float32Array(Uint32Array.of(bits * 65536).buffer)[0]!;
  const [sign, exponent, mantissa] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? mantissa / 1024 : 1 + mantissa / 1024) * 2 ** (Math.max(exponent, 1) - 15);
}

describe.each(BUILDS)("attention to keys and values in half precision, in the build %s", (build) => {
  const bed = testbed(256, { build });
  const { kernels } = bed;

  test.each(["bfloat16", "float16"] as const)(
    "has the bits of attention to the same numbers in float32: %s",
    (dtype) => {
      for (const [L, S, E, Ev, finite] of [
        ...([
          [1, 1, 64, 64, true],
          [3, 64, 64, 64, true],
          [8, 65, 20, 36, true],
          [2, 130, 4, 8, true],
        ] as const),
        ...([
          [5, 67, 7, 64, true],
          [1, 200, 64, 5, true],
          [4, 63, 1, 1, true],
        ] as const),
        ...([
          [1, 130, 64, 64, false],
          [3, 20, 12, 16, false],
          [2, 70, 7, 3, false],
        ] as const),
      ]) {
        for (const causal of [0, 1]) {
          bed.clear();
          const rows = { k: E + rng.below(4), v: Ev + rng.below(4) };
          const [q, k, v] = [rng.floats(L * E), bitsOf(dtype, S * rows.k, finite), bitsOf(dtype, S * rows.v, finite)];
          const [at, mask, block] = [bed.put(q), bed.put(rng.floats(L * S)), kernels.attentionBlock(L, S)];
          const [actual, expected] = [bed.room(L * Ev), bed.room(L * Ev)];
          const floats = (bits: Uint16Array): number =>
            bed.put(Float32Array.from(bits, (each) => floatOf(dtype, each)));
          const halves = (bits: Uint16Array): number => bed.put(new Uint8Array(bits.buffer));
          const others = [0, L, 0.3, mask, 1, S, 1, causal] as const;
          const scratch = bed.room(kernels.attentionHalfScratch(block, S, E, Ev) / 4);
          kernels.attentionHalf(
            ...([DTYPES[dtype], at, E, halves(k), rows.k, halves(v), rows.v, actual, Ev, block, S, E, Ev] as const),
            ...([...others, scratch] as const),
          );
          const wide = bed.room(kernels.attentionScratch(L, S, E, Ev) / 4);
          kernels.attention(
            ...([at, E, floats(k), rows.k, floats(v), rows.v, expected, Ev, L, S, E, Ev] as const),
            ...([...others, wide] as const),
          );
          expect(bed.floats(actual, L * Ev), `${L} ${S} ${E} ${Ev}`).toEqual(bed.floats(expected, L * Ev));
          expect(bed.intact()).toBe(true);
        }
      }
    },
  );
});
