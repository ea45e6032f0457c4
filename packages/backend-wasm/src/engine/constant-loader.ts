import type { Constant, ConstantLoader, ConstantMemory } from "@pt2/engine";
import type { Block, Heap } from "./heap.ts";
import type { ReadAhead } from "./read-ahead.ts";

/** Allocates constants in a heap, by their addresses. */
export class HeapMemory implements ConstantMemory<number> {
  readonly heap: Heap;
  readonly #blocks = new Map<number, Block>();

  constructor(heap: Heap) {
    this.heap = heap;
  }

  allocate(bytes: number): number {
    const block = this.heap.alloc(bytes);
    this.#blocks.set(block.address, block);
    return block.address;
  }

  free(address: number): void {
    this.heap.free(this.#blocks.get(address)!);
    this.#blocks.delete(address);
  }
}

/** Brings constants into a heap, and reads weights ahead while the heap need not grow. */
export class HeapLoader extends HeapMemory implements ConstantLoader<number> {
  readonly #readAhead: ReadAhead;
  readonly #compile: () => Promise<void>;

  /** Takes `compile`, which compiles code that was generated since the last time. */
  constructor(heap: Heap, readAhead: ReadAhead, compile: () => Promise<void>) {
    super(heap);
    this.#readAhead = readAhead;
    this.#compile = compile;
  }

  /** Starts to read records that will be needed; loading goes on with what a plan then needs. */
  async readAhead(records: readonly Constant<number>[]): Promise<void> {
    if (await this.#reserve(records)) this.#readAhead.start(records);
  }

  /** Reads records that plans will need, when nothing is planned yet. */
  async readAll(records: readonly Constant<number>[]): Promise<void> {
    if (await this.#reserve(records)) this.#readAhead.start(records, Number.POSITIVE_INFINITY);
    for (const record of records) await record.load();
  }

  /** Reads ahead when everything that is to come fits without growth in between, else not. */
  async begin(records: readonly Constant<number>[], sizes: readonly number[]): Promise<void> {
    if (await this.#makeRoom(sizes)) this.#readAhead.start(records);
    else await this.#readAhead.stop();
    await this.#compile();
  }

  advance(): void {
    this.#readAhead.advance();
  }

  async end(): Promise<void> {
    await this.#readAhead.stop();
    this.#readAhead.dropUnused();
  }

  #reserve(records: readonly Constant<number>[]): Promise<boolean> {
    return this.#makeRoom(records.flatMap(({ resident, bytes }) => (resident ? [] : [bytes])));
  }

  /**
   * Makes room for blocks of these sizes, including their alignment. Reads that were started earlier end before the
   * memory grows.
   */
  async #makeRoom(sizes: readonly number[]): Promise<boolean> {
    const bytes = sizes.reduce((sum, size) => sum + size + 64, 0);
    if (this.heap.room < bytes) await this.#readAhead.stop();
    return this.heap.tryReserve(bytes);
  }
}
