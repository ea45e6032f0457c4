import type { ByteSource } from "./byte-source.ts";
import type { UrlOptions } from "./remote/remote-options.ts";

/**
 * A source over HTTP that reads the ranges it needs, those that follow each other in one request. Small files, and files
 * whose server sends nothing less, are downloaded whole.
 */
export async function fromUrl(url: string | URL, options: UrlOptions = {}): Promise<ByteSource> {
  // A page whose models are files that people choose does without.
  const { openUrl } = await import("./remote/open-url.ts");
  return await openUrl(url, options);
}
