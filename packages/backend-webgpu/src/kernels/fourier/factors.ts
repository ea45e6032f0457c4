/** Prime factors that are computed in registers; larger ones would make long texts. */
const MOST_PRIME = 7;
/** Prime factors are taken together up to this radix: an invocation keeps so many numbers. */
const MOST_RADIX = 16;

/** Prime factors in ascending order; none of 1. */
export function primeFactors(n: number): readonly number[] {
  const factors: number[] = [];
  let rest = n;
  for (let prime = 2; rest > 1; prime++) {
    if (prime * prime > rest) prime = rest;
    for (; rest % prime === 0; rest /= prime) factors.push(prime);
  }
  return factors;
}

/** Factors of a length: as few passes as registers allow, each of about the same radix; large primes by themselves. */
export function radicesOf(n: number): readonly number[] {
  const primes = primeFactors(n).toReversed();
  const large = primes.filter((prime) => prime > MOST_PRIME);
  for (let passes = 1; ; passes++) {
    const radices = new Array<number>(passes).fill(1);
    for (const prime of primes.slice(large.length)) radices[radices.indexOf(Math.min(...radices))]! *= prime;
    if (Math.max(...radices) > MOST_RADIX) continue;
    const all = [...large, ...radices.filter((radix) => radix > 1)];
    return all.length === 0 ? [1] : all;
  }
}

/** Whether a factor is a prime whose transform does not fit registers. */
export function isDirect(radix: number): boolean {
  return primeFactors(radix).some((prime) => prime > MOST_PRIME);
}
