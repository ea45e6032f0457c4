/** The longest array that is used again. What a longer one takes to make, its numbers take many times. */
const LONGEST = 1024;

/** The arrays of the matrix at hand of a batch, in the order in which they are made; null outside of one. */
let arrays: Float64Array[] | null = null;
let made = 0;

/**
 * Calls `compute` for each matrix of a batch. The arrays that {@link zeros} and {@link copied} made for one become those of the
 * next, so nothing of them may be kept: making an array takes several times what the numbers of a small matrix do.
 */
export function eachInRoom(count: number, compute: (i: number) => void): void {
  arrays = [];
  try {
    for (let i = 0; i < count; i++) {
      made = 0;
      compute(i);
    }
  } finally {
    arrays = null;
  }
}

/** Returns an array with any numbers. Matrices of a batch mostly ask for the same ones, in one order. */
function arrayOf(length: number): Float64Array {
  if (arrays === null || length > LONGEST) return new Float64Array(length);
  const found = arrays[made];
  if (found !== undefined && found.length === length) {
    made++;
    return found;
  }
  const array = new Float64Array(length);
  arrays[made++] = array;
  return array;
}

/** Returns an array of zeros. */
export function zeros(length: number): Float64Array {
  const array = arrayOf(length);
  for (let i = 0; i < length; i++) array[i] = 0;
  return array;
}

/** Returns a copy of numbers from `start` on. */
export function copied(from: Float64Array, start = 0, length: number = from.length): Float64Array {
  const array = arrayOf(length);
  for (let i = 0; i < length; i++) array[i] = from[start + i]!;
  return array;
}
