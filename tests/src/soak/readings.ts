import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Worker } from "node:worker_threads";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The worker threads of this process, as they are started. */
const workers = new Set<Worker>();
process.on("worker", (worker) => {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
});

/** What a process holds after a collection: bytes, except for counts. */
export interface Reading {
  /** The bytes of objects of this thread. */
  readonly heap: number;
  /** The bytes of its array buffers and of memory that is bound to objects. */
  readonly outside: number;
  /** The bytes of objects and array buffers of its worker threads. */
  readonly workers: number;
  readonly rss: number;
  readonly descriptors: number;
  /** The number of handles and requests that keep the event loop alive. */
  readonly resources: number;
}

/** Collects garbage here and in the workers, and reads what is left. */
export async function readProcess(): Promise<Reading> {
  for (let i = 0; i < 3; i++) {
    // Objects that were used in a turn of the event loop live to its end; those with a finalizer, to the next
    // collection.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  // An idle worker keeps no process alive, nor does waiting for its snapshot.
  const alive = setInterval(() => {}, 1000);
  let held = 0;
  for (const worker of workers) held += await heapOf(worker);
  clearInterval(alive);
  return {
    heap: heapUsed,
    outside: external,
    workers: held,
    rss,
    descriptors: descriptors(),
    resources: process.getActiveResourcesInfo().length,
  };
}

/** Counts the open files, sockets and pipes; 0 where the system does not list them. */
function descriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

/**
 * Measures the heap of a worker by a snapshot, which contains what a collection left. It is scanned as it arrives:
 * parsed, it would be in the next reading.
 */
async function heapOf(worker: Worker): Promise<number> {
  const scan = new SizeScan();
  for await (const part of await worker.getHeapSnapshot()) scan.take(part as Buffer);
  return scan.bytes;
}

const [ZERO, NINE, COMMA, END] = [48, 57, 44, 93];
const NODES = Buffer.from('"nodes":[');

/** Adds up the sizes in the text of a heap snapshot, whose nodes are numbers in one row. */
class SizeScan {
  bytes = 0;
  #head = Buffer.alloc(0);
  /** The index of a node's own size, and the number of numbers that a node has; null before the nodes. */
  #layout: { readonly size: number; readonly count: number } | null = null;
  #field = 0;
  #number = 0;
  #over = false;

  take(part: Buffer): void {
    if (this.#over) return;
    if (this.#layout === null) {
      this.#head = Buffer.concat([this.#head, part]);
      const at = this.#head.indexOf(NODES);
      if (at < 0) return;
      const [, names] = /"node_fields":\[([^\]]*)\]/.exec(this.#head.subarray(0, at).toString()) as unknown as string[];
      const fields = JSON.parse(`[${names}]`) as readonly string[];
      this.#layout = { size: fields.indexOf("self_size"), count: fields.length };
      this.#numbers(this.#head.subarray(at + NODES.length), this.#layout);
      this.#head = Buffer.alloc(0);
    } else this.#numbers(part, this.#layout);
  }

  #numbers(part: Buffer, { size, count }: { readonly size: number; readonly count: number }): void {
    for (const byte of part) {
      if (byte >= ZERO && byte <= NINE) this.#number = 10 * this.#number + byte - ZERO;
      else if (byte === COMMA || byte === END) {
        if (this.#field === size) this.bytes += this.#number;
        this.#field = (this.#field + 1) % count;
        this.#number = 0;
        this.#over = byte === END;
        if (this.#over) return;
      }
    }
  }
}
