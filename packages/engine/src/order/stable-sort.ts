import { insertionSort, type Ordered } from "./sort.ts";

/** Up to so many elements are inserted one after the other: the counts of digits would take longer. */
const SHORT = 64;

/** Sorts and keeps the order of equal elements: by the bits of keys, one digit of 8 bits after the other. */
export function stableSort(ordered: Ordered): void {
  const { keys, at } = ordered;
  const size = at.length;
  if (size <= SHORT) {
    insertionSort(ordered, 0, size);
    return;
  }
  const given = { words: new Uint32Array(size), at };
  const spare = { words: new Uint32Array(size), at: new Int32Array(size) };
  const least = smallest(keys);
  if (least !== null) {
    for (let i = 0; i < size; i++) given.words[i] = keys[at[i]!]! - least;
    sortWords(given, spare);
    return;
  }
  // Both zeros are one number.
  const bits = new Int32Array(keys.map((key) => key + 0).buffer);
  for (const half of [0, 1]) {
    for (let i = 0; i < size; i++) {
      const place = 2 * at[i]!;
      // Negative numbers come first, the largest of them in front.
      const sign = bits[place + 1]! >> 31;
      given.words[i] = bits[place + half]! ^ (half === 0 ? sign : sign | 0x80000000);
    }
    sortWords(given, spare);
  }
}

/** Returns the smallest key if all keys are integers that are less than 2^32 apart, else null. */
function smallest(keys: Float64Array): number | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (Math.floor(key) !== key) return null;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  return most - least < 2 ** 32 ? least : null;
}

/** Positions with a word for each that they are ordered by. */
interface Worded {
  readonly words: Uint32Array;
  readonly at: Int32Array;
}

function sortWords(given: Worded, spare: Worded): void {
  const size = given.at.length;
  const ends = new Int32Array(4 * 256);
  for (let i = 0; i < size; i++) {
    const word = given.words[i]!;
    ends[word & 255]!++;
    ends[256 + ((word >>> 8) & 255)]!++;
    ends[512 + ((word >>> 16) & 255)]!++;
    ends[768 + (word >>> 24)]!++;
  }
  let [from, to] = [given, spare];
  for (let digit = 0; digit < 4; digit++) {
    const [first, shift] = [256 * digit, 8 * digit];
    // A digit that all have in common changes nothing.
    if (ends[first + ((from.words[0]! >>> shift) & 255)] === size) continue;
    for (let i = first, start = 0; i < first + 256; i++) {
      const count = ends[i]!;
      ends[i] = start;
      start += count;
    }
    const { words, at } = from;
    const { words: toWords, at: toAt } = to;
    for (let i = 0; i < size; i++) {
      const word = words[i]!;
      const place = ends[first + ((word >>> shift) & 255)]!++;
      toWords[place] = word;
      toAt[place] = at[i]!;
    }
    [from, to] = [to, from];
  }
  if (from === given) return;
  given.words.set(from.words);
  given.at.set(from.at);
}
