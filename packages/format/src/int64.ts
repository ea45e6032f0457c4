/** Returns whether an integer has more than 64 bits, as the largest sum of sizes that PyTorch asserts. */
export function isBeyondInt64(value: unknown): value is bigint {
  return typeof value === "bigint" && BigInt.asIntN(64, value) !== value;
}
