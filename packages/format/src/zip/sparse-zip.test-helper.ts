import { type ByteSource, checkRange, deliver } from "../byte-source.ts";

/** A stored entry of zeros, but for what it says at some offsets. */
export interface SparseEntry {
  readonly name: string;
  readonly size: number;
  readonly marks?: readonly { readonly at: number; readonly bytes: Uint8Array }[];
}

/** A zip that is as large as its entries say, in the memory of its headers. `reads` are those that were made. */
export function sparseZip(entries: readonly SparseEntry[]): ByteSource & { readonly reads: number[] } {
  const pieces: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, size, marks = [] } of entries) {
    const text = new TextEncoder().encode(name);
    const wide = fields([2, 1], [2, 24], [8, size], [8, size], [8, at]);
    const local = fields(
      [4, 0x04034b50],
      [2, 45],
      [8, 0],
      [4, 0],
      [8, 2 ** 64 - 1],
      [2, text.length],
      [2, wide.length],
    );
    const header = join([local, text, wide]);
    const versions = fields([4, 0x02014b50], [2, 45], [2, 45], [8, 0], [4, 0], [8, 2 ** 64 - 1]);
    const lengths = fields([2, text.length], [2, wide.length], [8, 0], [2, 0], [4, 0xffffffff]);
    directory.push(join([versions, lengths, text, wide]));
    const data = at + header.length;
    pieces.push({ at, bytes: header }, ...marks.map((mark) => ({ at: data + mark.at, bytes: mark.bytes })));
    at = data + size;
  }
  const listing = join(directory);
  const counts = [8, entries.length] as const;
  const end = [
    fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [8, 0], counts, counts, [8, listing.length], [8, at]),
    fields([4, 0x07064b50], [4, 0], [8, at + listing.length], [4, 1]),
    fields([4, 0x06054b50], [4, 0], [2, 0xffff], [2, 0xffff], [8, 2 ** 64 - 1], [2, 0]),
  ];
  pieces.push({ at, bytes: join([listing, ...end]) });
  const { at: last, bytes: tail } = pieces.at(-1)!;
  const reads: number[] = [];
  return {
    size: last + tail.length,
    reads,
    async read(offset, length, options) {
      checkRange(this, offset, length, options);
      reads.push(length);
      const out = new Uint8Array(length);
      for (const piece of pieces) {
        const start = Math.max(offset, piece.at);
        const stop = Math.min(offset + length, piece.at + piece.bytes.length);
        if (start < stop) out.set(piece.bytes.subarray(start - piece.at, stop - piece.at), start - offset);
      }
      return deliver(out, options);
    },
  };
}

/** Numbers of so many bytes, little endian; all ones where they are larger than doubles can say. */
function fields(...list: readonly (readonly [bytes: number, value: number])[]): Uint8Array {
  return join(
    list.map(([bytes, value]) =>
      Uint8Array.from({ length: bytes }, (_, i) => (value >= 2 ** 53 ? 255 : Math.floor(value / 2 ** (8 * i)) & 255)),
    ),
  );
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
