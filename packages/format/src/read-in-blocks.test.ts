import { expect, it } from "vitest";
import { type ByteSource, fromBytes } from "./byte-source.ts";
import { readInBlocks } from "./read-in-blocks.ts";

const BYTES = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);

interface Counted {
  readonly source: ByteSource;
  /** Offset and length of every read of the source below. */
  readonly reads: (readonly [number, number])[];
}

function counted(): Counted {
  const reads: (readonly [number, number])[] = [];
  const below = fromBytes(BYTES);
  const far: ByteSource = {
    size: below.size,
    read: (offset, length, options) => {
      reads.push([offset, length]);
      return below.read(offset, length, options);
    },
  };
  return { source: readInBlocks(far, { block: 100 }), reads };
}

it("a block source reads the bytes of any range", async () => {
  const { source } = counted();
  for (let i = 0; i < 200; i++) {
    const [offset, length] = [(i * 37) % 900, (i * 13) % 100];
    expect(await source.read(offset, length)).toEqual(BYTES.subarray(offset, offset + length));
  }
  expect(await source.read(0, 1000)).toEqual(BYTES);
  const into = new Uint8Array(64);
  expect((await source.read(90, 20, { into })).buffer).toBe(into.buffer);
  expect(into.subarray(0, 20)).toEqual(BYTES.subarray(90, 110));
});

it("a block source reads a block once for many small reads", async () => {
  const { source, reads } = counted();
  await Promise.all(Array.from({ length: 20 }, (_, i) => source.read(700 + 3 * i, 3)));
  expect(reads).toEqual([[700, 100]]);
});

it("a block source reads ahead where reads are sequential", async () => {
  const { source, reads } = counted();
  await source.read(310, 10);
  await source.read(410, 10);
  expect(reads.map(([offset]) => offset)).toEqual([300, 400, 500, 600, 700, 800]);
});

it("a block source passes long reads to its source", async () => {
  const { source, reads } = counted();
  await source.read(50, 500);
  expect(reads).toEqual([[50, 500]]);
});

it("a block source reads a failed block again", async () => {
  let fails = true;
  const below = fromBytes(BYTES);
  const source = readInBlocks({
    size: below.size,
    read: (offset, length) => (fails ? Promise.reject(new Error("offline")) : below.read(offset, length)),
  });
  await expect(source.read(0, 4)).rejects.toThrow("offline");
  fails = false;
  expect(await source.read(0, 4)).toEqual(BYTES.subarray(0, 4));
});

it("a block source stops waiting when the signal aborts", async () => {
  const source = readInBlocks({ size: 1000, read: () => new Promise(() => {}) });
  const controller = new AbortController();
  const reading = source.read(0, 4, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});
