// Fetches what a product reads next while it computes. WebAssembly has no instruction for it, so a byte of each cache line is
// loaded: a processor notices that memory is read line after line, and fetches some lines ahead of that. What is read in a
// hurry, as the first tile of rows reads a panel, comes too late all the same.

/** Whether it pays: without fused multiply-adds instructions are what a product waits for, and these would be more of them. */
export const FETCHES: bool = ASC_FEATURE_RELAXED_SIMD;

const LINE: usize = 64;
/** Two lines side by side, whose waits for memory are one. */
const PAIR: usize = 2 * LINE;

/** What was loaded; without a use loads may be left out. */
let seen: i32 = 0;

/** The bytes of whole pairs of cache lines that each of `parts` parts has of `bytes`. */
@inline
export function sharedLines(bytes: usize, parts: usize): usize {
  return ((bytes + parts - 1) / parts + PAIR - 1) & ~(PAIR - 1);
}

/** Fetches from `at` to `end`. Always part of its caller: a call would spill the sums that are in registers. */
@inline
export function fetch(at: usize, end: usize): void {
  let sum = 0;
  for (; at < end; at += LINE) sum |= load<u8>(at);
  seen = sum;
}
