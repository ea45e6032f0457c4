import type { Prefetch } from "@pt2/backend";
import { Constant } from "@pt2/engine";
import type { WeightTensor } from "@pt2/format";
import { HeapMemory } from "./constant-loader.ts";
import { Heap } from "./heap.ts";
import { ReadAhead } from "./read-ahead.ts";

/**
 * The memory beside the weights, as a fraction of them: what a plan adds then seldom makes the memory grow during
 * reads.
 */
const ROOM_BESIDE = 1 / 8;

/**
 * The weight records of one executable and the memory that they are read into. Reads may start before there is a
 * program.
 */
export class WeightRecords implements Prefetch {
  readonly heap: Heap;
  readonly readAhead: ReadAhead = new ReadAhead();
  readonly #memory: HeapMemory;
  readonly #signal: AbortSignal | undefined;
  readonly #records = new Map<string, Constant<number>>();
  readonly #arrived = new Set<Constant<number>>();
  #onArrival: (record: Constant<number>) => void = () => {};

  /** Takes whether several threads will share the memory, and how much the weights take. */
  constructor(
    signal: AbortSignal | undefined,
    { shared, bytes }: { readonly shared: boolean; readonly bytes: number },
  ) {
    this.heap = new Heap({ shared, bytes });
    this.#memory = new HeapMemory(this.heap);
    this.#signal = signal;
  }

  /**
   * Starts to read everything except buffers, which runs may write; returns undefined where memory has no room for
   * that.
   */
  static prefetch(weights: readonly WeightTensor[], shared: boolean, signal?: AbortSignal): WeightRecords | undefined {
    const wanted = weights.filter(({ kind }) => kind !== "buffer");
    const bytes = bytesOf(wanted);
    const records = new WeightRecords(signal, { shared, bytes });
    const constants = new Set(wanted.map((weight) => records.of(weight)));
    const aligned = bytes + 64 * constants.size;
    if (!records.heap.tryReserve(Math.ceil(aligned * (1 + ROOM_BESIDE)))) return undefined;
    records.readAhead.startAll(constants);
    return records;
  }

  /** Returns the record of a weight; views and tied weights share it. */
  of({ storage }: Pick<WeightTensor, "storage">): Constant<number> {
    const known = this.#records.get(storage.id);
    if (known !== undefined) return known;
    const record: Constant<number> = new Constant(this.#memory, storage.nbytes, "a weight", {
      inputs: [],
      isRecord: true,
      produce: async (address) => {
        const into = this.heap.u8.subarray(address, address + storage.nbytes);
        await storage.read({ into, signal: this.#signal });
        this.#arrived.add(record);
        this.#onArrival(record);
      },
    });
    this.#records.set(storage.id, record);
    return record;
  }

  /** Calls `onArrival` for every record that is or comes into memory. */
  watch(onArrival: (record: Constant<number>) => void): void {
    this.#onArrival = onArrival;
    for (const record of this.#arrived) onArrival(record);
  }

  async discard(): Promise<void> {
    await this.readAhead.stop();
    this.readAhead.dropUnused();
  }
}

/** The bytes of the storages of weights, of which several may be one. */
export function bytesOf(weights: Iterable<Pick<WeightTensor, "storage">>): number {
  const storages = new Map([...weights].map(({ storage }) => [storage.id, storage.nbytes]));
  return [...storages.values()].reduce((sum, bytes) => sum + bytes, 0);
}
