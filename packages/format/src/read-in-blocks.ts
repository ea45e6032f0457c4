import { unlessAborted } from "./abort/unless-aborted.ts";
import { type ByteSource, checkRange, deliver, type ReadOptions } from "./byte-source.ts";
import { LruCache } from "./lru-cache.ts";

/** The block size. Longer reads go to the source unchanged. */
const BLOCK = 64 * 1024;
/** The number of blocks that are read ahead after two neighboring blocks were read. */
const AHEAD = 4;
/** The number of blocks that stay in memory. */
const KEPT = 12;

/**
 * Creates a source that reads a slow one in blocks: an archive has hundreds of small entries and headers, and a round
 * trip for each would take longer than all their bytes. Blocks are cached, and read ahead where reads are sequential.
 */
export function readInBlocks(source: ByteSource, { block = BLOCK }: { readonly block?: number } = {}): ByteSource {
  const blocks = new LruCache<number, Promise<Uint8Array>>(KEPT);
  const count = Math.ceil(source.size / block);
  let latest = -1;

  const request = (index: number): Promise<Uint8Array> =>
    blocks.get(index, () => {
      const bytes = source.read(index * block, Math.min(block, source.size - index * block));
      bytes.catch(() => blocks.forget(index));
      return bytes;
    });

  return {
    ...source,
    // The spread does not copy methods of a class.
    ...(source.close !== undefined && { close: () => source.close!() }),
    ...(source.expect !== undefined && {
      expect: (...args: Parameters<NonNullable<ByteSource["expect"]>>) => source.expect!(...args),
    }),
    async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
      checkRange(this, offset, length, options);
      if (length === 0 || length >= block) return await source.read(offset, length, options);
      const [first, last] = [Math.floor(offset / block), Math.floor((offset + length - 1) / block)];
      const needed = last === first ? [request(first)] : [request(first), request(last)];
      const follows = first === latest + 1 || last === latest + 1;
      if (follows) for (let next = last + 1; next <= Math.min(last + AHEAD, count - 1); next++) request(next);
      latest = last;
      // All readers share blocks, so an abort ends the wait for them and not the request.
      const [head, tail] = await unlessAborted(Promise.all(needed), options?.signal);
      const start = offset - first * block;
      if (tail === undefined) return deliver(head!.subarray(start, start + length), options);
      const bytes = new Uint8Array(length);
      const fromHead = head!.subarray(start);
      bytes.set(fromHead);
      bytes.set(tail.subarray(0, length - fromHead.byteLength), fromHead.byteLength);
      return deliver(bytes, options);
    },
  };
}
