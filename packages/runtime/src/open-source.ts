import { type ByteSource, fromBlob, fromBytes, fromUrl } from "@pt2/format";
import { runtimeError } from "./runtime-errors.ts";

/** The source of a model: an address, or its bytes. A string is an address for `fetch`. */
export type ModelSource = ByteSource | Blob | Uint8Array | ArrayBuffer | URL | string;

/** Opens a source, which its reader then owns and closes. */
export async function openSource(source: ModelSource, signal?: AbortSignal): Promise<ByteSource> {
  if (typeof source === "string" || source instanceof URL) return await fromUrl(addressOf(source), { signal });
  // Memory that was transferred to another thread has no bytes, and an array over it can no longer be read.
  const isMemory = source instanceof Uint8Array || source instanceof ArrayBuffer;
  if (isMemory && source.byteLength > 0) return fromBytes(source);
  if (source instanceof Blob) return fromBlob(source);
  if (!isMemory && typeof source?.read === "function" && typeof source.size === "number") return source;
  throw runtimeError("runtime.source", {
    what: isMemory ? "The source has no bytes, as after a transfer" : "The source is neither an address nor bytes",
    advice: "pass a URL, a Blob, a Uint8Array, an ArrayBuffer or a ByteSource",
  });
}

function addressOf(source: string | URL): URL {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const url = URL.canParse(String(source), base) ? new URL(source, base) : undefined;
  if (url !== undefined && /^(https?|data|blob):$/.test(url.protocol)) return url;
  throw runtimeError("runtime.source", {
    what: `\`${source}\` is not an address that can be fetched`,
    where: String(source),
    advice: "for a file, import `load` from @pt2/runtime/node; in a browser pass a Blob or an https:// address",
  });
}
