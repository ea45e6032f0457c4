import { type ByteSource, fromBlob, fromBytes, fromUrl } from "@pt2/format";

/** The source of a model: an address, or its bytes. A string is an address for `fetch`. */
export type ModelSource = ByteSource | Blob | Uint8Array | ArrayBuffer | URL | string;

/** Opens a source, which its reader then owns and closes. */
export async function openSource(source: ModelSource, signal?: AbortSignal): Promise<ByteSource> {
  const url = typeof source === "string" || source instanceof URL ? addressOf(source) : undefined;
  if (url !== undefined) return await fromUrl(url, { signal });
  // Memory that was transferred to another thread has no bytes, and an array over it can no longer be read.
  const isMemory = source instanceof Uint8Array || source instanceof ArrayBuffer;
  if (isMemory && source.byteLength > 0) return fromBytes(source);
  if (source instanceof Blob) return fromBlob(source);
  const { read, size } = Object(source) as Partial<ByteSource>;
  if (!isMemory && typeof read === "function" && typeof size === "number") return source as ByteSource;
  return (await import("./refusals.ts")).refuseSource(source);
}

function addressOf(source: string | URL): URL | undefined {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const url = URL.canParse(String(source), base) ? new URL(source, base) : undefined;
  return url !== undefined && /^(https?|data|blob):$/.test(url.protocol) ? url : undefined;
}
