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

test("a memory that threads share serves the next heap of about its size, with zeros in it", () => {
  const size = 40e6;
  const heap = new Heap({ shared: true });
  heap.u8.fill(7, heap.alloc(size).address);
  heap.leave();
  const small = new Heap({ shared: true, bytes: 1000 });
  const alone = new Heap({ bytes: size });
  const next = new Heap({ shared: true, bytes: size });
  const other = new Heap({ shared: true, bytes: size });
  expect([small, alone, other].map(({ memory }) => memory === heap.memory)).toEqual([true, false, false]);
  expect(next.memory).not.toBe(heap.memory);
  small.leave();
  const again = new Heap({ shared: true, bytes: size });
  expect(again.memory).toBe(heap.memory);
  expect(again.u8.every((byte) => byte === 0)).toBe(true);
  expect(again.room).toBeGreaterThanOrEqual(size);
});

test("a large memory is not held by a model that wants little", () => {
  const heap = new Heap({ shared: true });
  heap.alloc(100e6);
  heap.leave();
  expect(new Heap({ shared: true, bytes: 1000 }).memory).not.toBe(heap.memory);
  expect(new Heap({ shared: true, bytes: 30e6 }).memory).toBe(heap.memory);
});
