/** A buffer's size and the steps between which nothing else may use its memory, both inclusive. */
export interface SlotLifetime {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

/** Which buffer of a run each tensor uses, and how large those are. */
export interface SlotPlan {
  readonly slots: readonly number[];
  readonly bytes: readonly number[];
}

/**
 * Shares whole buffers among tensors whose lives do not meet: largest first, each into the smallest slot that is free
 * during its life ("greedy by size for shared objects", Pisarchyk and Lee, arXiv 2001.03288). One block that all share
 * would be smaller, but WebGPU does not let a dispatch read and write one buffer, be it in different places.
 */
export function planSlots(lifetimes: readonly SlotLifetime[]): SlotPlan {
  const order = lifetimes.map((_, i) => i).sort((a, b) => lifetimes[b]!.bytes - lifetimes[a]!.bytes || a - b);
  const slots = new Array<number>(lifetimes.length);
  const bytes: number[] = [];
  const users: SlotLifetime[][] = [];
  for (const i of order) {
    const life = lifetimes[i]!;
    // Slots are in the order of their sizes, so the last that is free is the smallest.
    let slot = bytes.length - 1;
    while (slot >= 0 && !takes(users[slot]!, life)) slot--;
    if (slot < 0) {
      slot = bytes.length;
      bytes.push(life.bytes);
      users.push([life]);
    }
    slots[i] = slot;
  }
  return { slots, bytes };
}

/** Adds a life to others, which do not meet and are in order, unless it meets one of them. */
function takes(others: SlotLifetime[], life: SlotLifetime): boolean {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (others[middle]!.first <= life.last) low = middle + 1;
    else high = middle;
  }
  // Of those that begin before its end, the last one ends last.
  if (low > 0 && others[low - 1]!.last >= life.first) return false;
  others.splice(low, 0, life);
  return true;
}
