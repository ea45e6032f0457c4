import type { ByteSource } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import { readInBlocks } from "../read-in-blocks.ts";
import type { UrlOptions } from "../remote/remote-options.ts";
import { fromUrl } from "../source-url.ts";
import { archiveId } from "./archive-id.ts";
import { CacheEntry, entryFrom } from "./cache-entry.ts";
import { CachedSource } from "./cached-source.ts";

/**
 * What was read from an address last, without asking the server whether it is still the same; null when nothing was.
 * Only who reads a part that is not there waits for the network.
 */
export async function keptSource(
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
      what: "the file is not the one that was kept, of which a part is missing",
      where: address,
      advice: "load it while the server can be asked, without `revalidate: false`",
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
