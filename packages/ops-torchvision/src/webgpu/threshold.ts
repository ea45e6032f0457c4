/** A threshold of quotients, as shaders compare with it. */
export interface Threshold {
  /** Quotients above `high` exceed it, those below `low` do not; in between a shader has to look at all bits. */
  readonly low: number;
  readonly high: number;
  /** What lies halfway from the last float32 that does not exceed it to the next one: `mantissa` · 2^`exponent`, of 25 bits. */
  readonly mantissa: number;
  readonly exponent: number;
}

/**
 * Prepares a threshold of 0 or more, below 1. A quotient counts as it is rounded to float32, and that exceeds the threshold
 * where the quotient itself exceeds the halfway point, at which no quotient of two float32 lies: it has a bit too many.
 */
export function thresholdOf(threshold: number): Threshold {
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  float[0] = threshold;
  if (float[0] > threshold) bits[0]!--;
  const last = float[0];
  bits[0]!++;
  let mantissa = (last + float[0]) / 2;
  let exponent = 0;
  for (; mantissa < 2 ** 24; exponent--) mantissa *= 2;
  const margin = 2 ** -20;
  return { low: last * (1 - margin), high: Math.max(last * (1 + margin), 2 ** -100), mantissa, exponent };
}
