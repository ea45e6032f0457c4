import type { Device } from "./device.ts";
import type { Memory } from "./memory.ts";
import type { PassTimes, Stream } from "./stream.ts";

/** When a pass ran on the GPU, in milliseconds since the first one began. */
export interface PassTime {
  readonly start: number;
  readonly ms: number;
}

/** Measures the times of passes. */
export interface Clock {
  /** Returns the timestamp writes of the next pass. */
  next(): PassTimes;
  /** Reads the times of all passes, in order. It can be called once. */
  read(): Promise<readonly PassTime[]>;
}

/** The most queries of a set in WebGPU's specification; each pass takes two. */
const QUERIES = 4096;

/** Makes a clock for the times of at most this many passes. */
export function timestamps(
  { device, memory, stream }: { readonly device: Device; readonly memory: Memory; readonly stream: Stream },
  passes: number,
): Clock {
  const count = Math.max(1, Math.ceil((2 * passes) / QUERIES));
  const sets = Array.from({ length: count }, () => device.gpu.createQuerySet({ type: "timestamp", count: QUERIES }));
  let used = 0;
  return {
    next() {
      const at = 2 * used++;
      const first = at % QUERIES;
      const querySet = sets[Math.floor(at / QUERIES)]!;
      return { querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
    },
    async read() {
      const ticks: bigint[] = [];
      for (const [i, set] of sets.entries()) {
        const here = Math.min(QUERIES, 2 * used - i * QUERIES);
        if (here > 0) ticks.push(...(await resolved(set, here)));
        set.destroy();
      }
      const first = ticks[0] ?? 0n;
      return Array.from({ length: used }, (_, i) => ({
        start: Number(ticks[2 * i]! - first) / 1e6,
        ms: Number(ticks[2 * i + 1]! - ticks[2 * i]!) / 1e6,
      }));
    },
  };

  async function resolved(set: GPUQuerySet, here: number): Promise<BigUint64Array> {
    const target = memory.create(here * 8, "timestamps", "queries");
    try {
      stream.resolve(set, here, target);
      const [bytes] = await stream.read([{ buffer: target, offset: 0, size: here * 8 }]);
      return new BigUint64Array(bytes!.buffer);
    } finally {
      memory.free(target);
    }
  }
}
