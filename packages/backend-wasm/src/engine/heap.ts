import { isShared } from "../threads/shared-import.ts";
import { unavailable, wasmError } from "../wasm-errors.ts";
import { leaveMemory, takeMemory } from "./left-memories.ts";
import { LIMITS } from "./limits.ts";

/** A piece of WebAssembly memory. */
export interface Block {
  readonly address: number;
  readonly bytes: number;
}

const PAGE = 65536;

interface HeapOptions {
  /** The bytes at the start that belong to the kernels' static data; 64 kB when absent. */
  readonly reserved?: number;
  /** Whether several threads share the memory. */
  readonly shared?: boolean;
  /** What will be allocated at least. */
  readonly bytes?: number;
}

const MAX_PAGES = LIMITS.memoryBytes / PAGE;
/** Blocks start at cache lines: SIMD loads are aligned and packed panels do not share lines. */
const ALIGNMENT = 64;

/**
 * A model's memory as typed arrays. They are replaced when it grows: read them in the functions given to `step`, and
 * never keep them.
 */
export interface HeapArrays {
  /** @internal Its type exists only beside the DOM's, so declarations leave it out. */
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
}

/**
 * Allocates blocks of one WebAssembly memory: first fit in address order, neighbors merged when freed. It serves few
 * large blocks (weights, packed panels, the arena), so a sorted list is enough.
 *
 * The typed arrays over the memory are replaced when it grows: read them from the heap each time, never keep them.
 */
export class Heap implements HeapArrays {
  /** @internal Its type exists only beside the DOM's, so declarations leave it out. */
  readonly memory: WebAssembly.Memory;
  #free: Block[];
  #used = 0;
  /** Of a memory that another heap had, what lies from `clean` to `stale` has not been allocated yet and may hold anything. */
  #clean: number;
  readonly #stale: number;
  #buffer: ArrayBufferLike;
  #u8: Uint8Array;
  #i32: Int32Array;
  #f32: Float32Array;
  #f64: Float64Array;
  #i64: BigInt64Array;

  constructor({ reserved = PAGE, shared = false, bytes = 0 }: HeapOptions = {}) {
    if (typeof WebAssembly === "undefined") throw unavailable("There is no WebAssembly here");
    const initial = Math.ceil(reserved / PAGE) + 1;
    const known = shared ? takeMemory(initial * PAGE + bytes) : undefined;
    this.memory = known ?? new WebAssembly.Memory({ initial, maximum: MAX_PAGES, shared });
    this.#free = [{ address: reserved, bytes: this.memory.buffer.byteLength - reserved }];
    this.#clean = 0;
    this.#stale = known?.buffer.byteLength ?? 0;
    this.#buffer = this.memory.buffer;
    this.#u8 = new Uint8Array(this.#buffer);
    this.#i32 = new Int32Array(this.#buffer);
    this.#f32 = new Float32Array(this.#buffer);
    this.#f64 = new Float64Array(this.#buffer);
    this.#i64 = new BigInt64Array(this.#buffer);
    this.#clear(reserved);
  }

  /** The bytes that are allocated. */
  get used(): number {
    return this.#used;
  }

  /** The size of the memory. */
  get reserved(): number {
    return this.memory.buffer.byteLength;
  }

  get u8(): Uint8Array {
    this.#refresh();
    return this.#u8;
  }

  get i32(): Int32Array {
    this.#refresh();
    return this.#i32;
  }

  get f32(): Float32Array {
    this.#refresh();
    return this.#f32;
  }

  get f64(): Float64Array {
    this.#refresh();
    return this.#f64;
  }

  get i64(): BigInt64Array {
    this.#refresh();
    return this.#i64;
  }

  /** The bytes that blocks can take at the end without growth. */
  get room(): number {
    const last = this.#free.at(-1);
    return last !== undefined && last.address + last.bytes === this.reserved ? last.bytes : 0;
  }

  /**
   * Makes room for blocks of `bytes` together, so that the memory does not grow for them; returns false when it cannot.
   */
  tryReserve(bytes: number): boolean {
    if (this.room >= bytes) return true;
    if (this.reserved + bytes - this.room > MAX_PAGES * PAGE) return false;
    try {
      this.#grow(bytes);
      return true;
    } catch {
      return false;
    }
  }

  alloc(bytes: number): Block {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    let at = this.#free.findIndex((block) => block.bytes >= size);
    if (at < 0) {
      this.#grow(size);
      at = this.#free.findIndex((block) => block.bytes >= size);
    }
    const { address, bytes: room } = this.#free[at]!;
    if (room === size) this.#free.splice(at, 1);
    else this.#free[at] = { address: address + size, bytes: room - size };
    this.#used += size;
    this.#clear(address + size);
    return { address, bytes: size };
  }

  /** Leaves a memory that threads share to other heaps. Nothing may use this one or its memory afterwards. */
  leave(): void {
    if (isShared(this.memory)) leaveMemory(this.memory);
  }

  /** Frees a block, once. */
  free(block: Block): void {
    this.#used -= block.bytes;
    this.#release(block);
  }

  #release(block: Block): void {
    let { address, bytes } = block;
    let at = this.#free.findIndex((other) => other.address > address);
    if (at < 0) at = this.#free.length;
    const next = this.#free[at];
    let remove = 0;
    if (next !== undefined && address + bytes === next.address) {
      bytes += next.bytes;
      remove = 1;
    }
    const previous = this.#free[at - 1];
    if (previous !== undefined && previous.address + previous.bytes === address) {
      address = previous.address;
      bytes += previous.bytes;
      at--;
      remove++;
    }
    this.#free.splice(at, remove, { address, bytes });
  }

  /** Adds pages so that a block of `size` bytes fits after what is free at the end. */
  #grow(size: number): void {
    const end = this.reserved;
    const pages = Math.ceil((size - this.room) / PAGE);
    try {
      if (!(end + pages * PAGE <= LIMITS.memoryBytes)) throw new RangeError("beyond the address space");
      this.memory.grow(pages);
    } catch (cause) {
      throw wasmError("wasm.out-of-memory", {
        what: `WebAssembly memory cannot grow from ${end} bytes by another ${pages * PAGE}`,
        advice: "wasm32 addresses at most 4 GiB. Use smaller inputs, float16 weights, or another backend.",
        details: { reserved: end, wanted: size },
        cause,
      });
    }
    this.#release({ address: end, bytes: pages * PAGE });
  }

  /** Makes what has not been allocated yet zeros, up to `end`. Blocks that were never allocated lie behind all others. */
  #clear(end: number): void {
    if (this.#clean < Math.min(end, this.#stale)) this.u8.fill(0, this.#clean, Math.min(end, this.#stale));
    this.#clean = Math.max(this.#clean, end);
  }

  #refresh(): void {
    const { buffer } = this.memory;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#u8 = new Uint8Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#f32 = new Float32Array(buffer);
    this.#f64 = new Float64Array(buffer);
    this.#i64 = new BigInt64Array(buffer);
  }
}
