import type { ByteSource } from "./byte-source.ts";
import type { UrlOptions } from "./remote/remote-options.ts";

/**
 * Creates a source over HTTP that reads the ranges it needs, adjacent ones in one request. Small files, and files whose
 * server does not support ranges, are downloaded whole.
 */
export async function fromUrl(url: string | URL, options: UrlOptions = {}): Promise<ByteSource> {
  // Loaded on demand: a page that opens local files does not need it.
  const { openUrl } = await import("./remote/open-url.ts");
  return await openUrl(url, options);
}
