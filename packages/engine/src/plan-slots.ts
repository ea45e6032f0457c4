import type { Lifetime } from "./plan-arena.ts";

/** Which buffer of a run each tensor uses, and how large those are. */
export interface SlotPlan {
  readonly slots: readonly number[];
  readonly bytes: readonly number[];
}

/** Slots of a block. */
const BLOCK = 128;

/** The uses of one slot, which do not meet and are in order, and the longest of them. */
interface Slot {
  readonly uses: Lifetime[];
  longest: Lifetime;
}

/** Neighbouring slots, with the steps at which the longest uses of all of them meet: from `from` to `to`, if to any. */
interface Block {
  readonly slots: Slot[];
  from: number;
  to: number;
}

/**
 * Shares whole buffers among tensors whose lives do not meet: largest first, each into the smallest slot that is free
 * during its life ("greedy by size for shared objects", Pisarchyk and Lee, arXiv 2001.03288). One block that all share
 * would be smaller, but WebGPU does not let a dispatch read and write one buffer, be it in different places.
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

/** Slots are in the order of their sizes, so the last that is free is the smallest. It takes the life; null if none does. */
function takeFree(blocks: readonly Block[], life: Lifetime): number | null {
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at]!;
    const { slots, from, to } = block;
    // All of its slots are used at a step at which this one needs one.
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

/** Adds a life to others, which do not meet and are in order, unless it meets one of them. */
function takes(others: Lifetime[], life: Lifetime): boolean {
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
