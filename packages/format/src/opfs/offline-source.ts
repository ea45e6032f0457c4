import type { ByteSource } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import { readInBlocks } from "../read-in-blocks.ts";
import type { UrlOptions } from "../remote/remote-options.ts";
import { fromUrl } from "../source-url.ts";
import { archiveId } from "./archive-id.ts";
import { CacheEntry, entryFrom } from "./cache-entry.ts";
import { CachedSource } from "./cached-source.ts";

/**
 * Creates a source over what was read from an address last, without asking the server whether it changed; returns null
 * when nothing was. Only a read of a missing block needs the network.
 */
export async function offlineSource(
  root: FileSystemDirectoryHandle,
  address: string,
  { fetch, headers, withoutRanges }: UrlOptions,
): Promise<ByteSource | null> {
  const found = await entryFrom(root, address);
  if (found === null) return null;
  const { name, size } = found;
  const connect = async (): Promise<ByteSource> => {
    const source = await fromUrl(address, { fetch, headers, withoutRanges });
    if (source.size === size && (await archiveId(source)) === name) return source;
    throw formatError("format.io", {
      what: "the file changed on the server, and the cached version is incomplete",
      where: address,
      advice: "load it again while online, without `revalidate: false`",
    });
  };
  let connected: Promise<ByteSource> | undefined;
  const missing: ByteSource = {
    name: address,
    size,
    async read(offset, length, options) {
      connected ??= connect().catch((problem: unknown) => {
        connected = undefined;
        throw problem;
      });
      return (await connected).read(offset, length, options);
    },
  };
  return readInBlocks(new CachedSource(missing, await CacheEntry.open(root, name)));
}
