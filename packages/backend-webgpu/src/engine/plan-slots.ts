import type { Lifetime } from "@pt2/engine";

/** Which buffer of a run each tensor uses, and how large those buffers are. */
export interface SlotPlan {
  readonly slots: readonly number[];
  readonly bytes: readonly number[];
}

/** The most slots that a block holds. */
const BLOCK = 128;

/** The lifetimes in one slot, which do not overlap and are in order, and the longest of them. */
interface Slot {
  readonly uses: Lifetime[];
  longest: Lifetime;
}

/**
 * Neighboring slots, with the steps at which the longest lifetimes of all of them overlap: from `from` to `to`, if
 * any.
 */
interface Block {
  readonly slots: Slot[];
  from: number;
  to: number;
}

/**
 * Shares whole buffers among tensors whose lifetimes do not overlap: largest first, each into the smallest slot that is
 * free during its lifetime ("greedy by size for shared objects", Pisarchyk and Lee, arXiv 2001.03288). One block that
 * all share would be smaller, but WebGPU does not let a dispatch read and write one buffer, even in different ranges.
 */
export function planSlots(lifetimes: readonly Lifetime[]): SlotPlan {
  const order = lifetimes.map((_, i) => i).sort((a, b) => lifetimes[b]!.bytes - lifetimes[a]!.bytes || a - b);
  const slots = new Array<number>(lifetimes.length);
  const bytes: number[] = [];
  const blocks: Block[] = [];
  for (const i of order) {
    const life = lifetimes[i]!;
    const free = takeFree(blocks, life);
    slots[i] = free ?? bytes.length;
    if (free !== null) continue;
    bytes.push(life.bytes);
    addSlot(blocks, life);
  }
  return { slots, bytes };
}

/**
 * Adds the lifetime to a slot that is free, and returns the slot; null if none is. Slots are in descending order of
 * size, so the last that is free is the smallest.
 */
function takeFree(blocks: readonly Block[], life: Lifetime): number | null {
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at]!;
    const { slots, from, to } = block;
    // All slots of the block are in use at a step at which this lifetime needs one.
    if (Math.max(from, life.first) <= Math.min(to, life.last)) continue;
    for (let n = slots.length - 1; n >= 0; n--) {
      const slot = slots[n]!;
      if (!takes(slot.uses, life)) continue;
      if (lengthOf(life) > lengthOf(slot.longest)) {
        slot.longest = life;
        block.from = Math.max(...slots.map(({ longest }) => longest.first));
        block.to = Math.min(...slots.map(({ longest }) => longest.last));
      }
      return at * BLOCK + n;
    }
  }
  return null;
}

function addSlot(blocks: Block[], life: Lifetime): void {
  const last = blocks.at(-1);
  const slot: Slot = { uses: [life], longest: life };
  if (last === undefined || last.slots.length === BLOCK) {
    blocks.push({ slots: [slot], from: life.first, to: life.last });
    return;
  }
  last.slots.push(slot);
  last.from = Math.max(last.from, life.first);
  last.to = Math.min(last.to, life.last);
}

const lengthOf = ({ first, last }: Lifetime): number => last - first;

/** Adds a lifetime to others, which do not overlap and are in order, unless it overlaps one of them. */
function takes(others: Lifetime[], life: Lifetime): boolean {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (others[middle]!.first <= life.last) low = middle + 1;
    else high = middle;
  }
  // Of the lifetimes that begin before this one ends, the last one ends last.
  if (low > 0 && others[low - 1]!.last >= life.first) return false;
  others.splice(low, 0, life);
  return true;
}
