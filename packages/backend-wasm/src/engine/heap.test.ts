import { expect, test } from "vitest";
import { random } from "../kernels.test-helper.ts";
import { type Block, Heap } from "./heap.ts";

test("blocks never overlap, are aligned, and freed memory is used again", () => {
  const heap = new Heap();
  const next = random(7);
  const live: Block[] = [];
  for (let i = 0; i < 2000; i++) {
    if (live.length > 0 && next.below(3) === 0) heap.free(live.splice(next.below(live.length), 1)[0]!);
    else live.push(heap.alloc(1 + next.below(10_000)));
    if (i % 100 === 0) expect(overlaps(live)).toBe(false);
  }
  expect(live.every(({ address }) => address % 64 === 0)).toBe(true);
  const { reserved } = heap;
  for (const block of live) heap.free(block);
  expect(heap.used).toBe(0);
  // All blocks were merged again: one block takes all that was ever reserved, without growth.
  heap.alloc(reserved - 65536);
  expect(heap.reserved).toBe(reserved);
});

function overlaps(blocks: readonly Block[]): boolean {
  const sorted = [...blocks].sort((a, b) => a.address - b.address);
  return sorted.some((block, i) => i > 0 && sorted[i - 1]!.address + sorted[i - 1]!.bytes > block.address);
}

test("typed arrays follow the memory when it grows", () => {
  const heap = new Heap();
  const { address } = heap.alloc(16);
  heap.f32[address / 4] = 1.5;
  heap.alloc(10_000_000);
  expect(heap.f32[address / 4]).toBe(1.5);
  expect(heap.i32.buffer).toBe(heap.memory.buffer);
});

test("an allocation beyond the address space is a coded error, and the heap stays usable", () => {
  const heap = new Heap();
  expect(() => heap.alloc(5 * 2 ** 30)).toThrow(expect.objectContaining({ code: "wasm.out-of-memory" }));
  expect(heap.alloc(64).bytes).toBe(64);
});

test("a memory that threads share serves the next heap, whose blocks hold zeros", () => {
  const size = 40e6;
  const heap = new Heap({ shared: true });
  heap.u8.fill(7, heap.alloc(size).address);
  heap.leave();
  const alone = new Heap({ bytes: size });
  const next = new Heap({ shared: true, bytes: size });
  const other = new Heap({ shared: true, bytes: size });
  expect([alone, next, other].map(({ memory }) => memory === heap.memory)).toEqual([false, true, false]);
  expect(next.u8.subarray(0, 65536).every((byte) => byte === 0)).toBe(true);
  // The last block takes what was never there before, too.
  const blocks = [100, 3e6, size - 4e6, 10e6].map((bytes) => next.alloc(bytes));
  for (const { address, bytes } of blocks) {
    expect(next.u8.subarray(address, address + bytes).every((byte) => byte === 0)).toBe(true);
  }
  next.u8.fill(7, blocks[1]!.address, blocks[1]!.address + blocks[1]!.bytes);
  next.free(blocks[0]!);
  next.alloc(50);
  expect(next.u8[blocks[1]!.address]).toBe(7);
});

test("of memories that were left, the smallest with room is taken, or the largest", () => {
  const heaps = [1e6, 30e6, 9e6].map((bytes) => {
    const heap = new Heap({ shared: true, bytes: 0 });
    heap.alloc(bytes);
    return heap;
  });
  for (const heap of heaps) heap.leave();
  const taken = [5e6, 50e6, 0].map((bytes) => new Heap({ shared: true, bytes }).memory);
  expect(taken.map((memory) => heaps.findIndex((heap) => heap.memory === memory))).toEqual([2, 1, 0]);
});
