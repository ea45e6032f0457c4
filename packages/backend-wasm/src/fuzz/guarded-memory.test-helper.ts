import type { ArenaPlan, Lifetime } from "@pt2/engine";
import type { Block, Heap } from "../engine/heap.ts";

/** The guard bytes around every block and buffer. */
const GUARD = 256;
const LINE = 64;
/** The bytes added to every plan, so that no other block has the size of an arena. */
const MARK = LINE * 1021;

interface Zone {
  readonly start: number;
  readonly end: number;
}

/** Records which guards were touched in one run. */
class Watch {
  /**
   * The byte that fresh memory and guards are filled with: results that depend on it were computed from uninitialized
   * memory.
   */
  poison = 0;
  readonly heaps: { inspect(): void }[] = [];
  readonly plans: { readonly bytes: number; readonly gaps: readonly Zone[] }[] = [];
  readonly damages: string[] = [];

  reset(poison: number): void {
    this.poison = poison;
    this.heaps.length = 0;
    this.plans.length = 0;
    this.damages.length = 0;
  }

  /** Lists every touched guard, in words. */
  report(): readonly string[] {
    for (const heap of this.heaps) heap.inspect();
    return [...this.damages];
  }
}

/** The guards' state; reset before each run. */
export const watch: Watch = new Watch();

/** Makes a heap whose blocks are filled with poison and have guards on both sides. */
export function guardHeap(Base: typeof Heap): typeof Heap {
  return class extends Base {
    readonly #inner = new Map<Block, Block>();

    constructor(options?: ConstructorParameters<typeof Heap>[0]) {
      super(options);
      watch.heaps.push(this);
    }

    override alloc(bytes: number): Block {
      const inner = super.alloc(bytes + 2 * GUARD);
      this.u8.fill(watch.poison, inner.address, inner.address + inner.bytes);
      const block = { address: inner.address + GUARD, bytes: Math.max(LINE, Math.ceil(bytes / LINE) * LINE) };
      this.#inner.set(block, inner);
      return block;
    }

    override free(block: Block): void {
      this.#check(block);
      super.free(this.#inner.get(block)!);
      this.#inner.delete(block);
    }

    inspect(): void {
      for (const block of this.#inner.keys()) this.#check(block);
    }

    #check(block: Block): void {
      const { address, bytes } = block;
      const inner = this.#inner.get(block)!;
      this.#zone({ start: inner.address, end: address }, "in front of a block");
      this.#zone({ start: address + bytes, end: inner.address + inner.bytes }, "behind a block");
      // The first plan of an executable lies at the start of its arena.
      const [plan, ...more] = watch.plans;
      if (plan === undefined || more.length > 0 || Math.ceil(plan.bytes / LINE) * LINE !== bytes) return;
      for (const { start, end } of plan.gaps)
        this.#zone({ start: address + start, end: address + end }, "in the arena");
    }

    #zone({ start, end }: Zone, where: string): void {
      const touched = this.u8.subarray(start, end).findIndex((byte) => byte !== watch.poison);
      if (touched >= 0) watch.damages.push(`byte ${touched} of ${end - start} ${where} was written`);
    }
  };
}

/** Makes a plan in which no two buffers share memory, with guards between them. */
export function guardedArena(lifetimes: readonly Lifetime[]): ArenaPlan {
  const offsets: number[] = [];
  const gaps: Zone[] = [];
  let at = 0;
  for (const { bytes } of lifetimes) {
    gaps.push({ start: at, end: at + GUARD });
    offsets.push(at + GUARD);
    at += GUARD + Math.ceil(bytes / LINE) * LINE;
  }
  gaps.push({ start: at, end: at + MARK });
  watch.plans.push({ bytes: at + MARK, gaps });
  return { offsets, bytes: at + MARK };
}
