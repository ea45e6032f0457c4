import { formatError } from "./format-errors.ts";
import { readInBlocks } from "./read-in-blocks.ts";
import { type ByteSource, checkRange, deliver, fromBytes, type ReadOptions } from "./source.ts";

/** How a URL is fetched. */
export interface UrlOptions {
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request, e.g. an authorization. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do with a server that does not answer Range requests: `download` the whole file into memory (default), or
   * `refuse`.
   */
  readonly withoutRanges?: "download" | "refuse" | undefined;
}

/** A source over HTTP that reads the ranges it needs, small ones together. */
export async function fromUrl(url: string | URL, options: UrlOptions = {}): Promise<ByteSource> {
  const name = String(url);
  const request = options.fetch ?? fetch;
  const get = async (range: string | undefined, signal: AbortSignal | undefined): Promise<Response> => {
    const headers: Record<string, string> = { ...options.headers };
    // A content coding would make ranges count encoded bytes.
    if (range !== undefined) Object.assign(headers, { Range: range, "Accept-Encoding": "identity" });
    const response = await request(url, { headers, ...(signal ? { signal } : {}) }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw ioError(name, "the request failed", cause);
    });
    if (!response.ok && response.status !== 416) throw ioError(name, `the server answered ${response.status}`);
    return response;
  };

  const probe = await get("bytes=0-0", options.signal);
  const size = totalSize(probe);
  if (size !== undefined) {
    await probe.arrayBuffer();
    return readInBlocks(ranged(name, size, get, probe.headers.get("etag")));
  }
  if (options.withoutRanges === "refuse") {
    await probe.body?.cancel();
    throw formatError("format.io", {
      what: "the server does not answer Range requests",
      where: name,
      advice: 'serve the file with ranges, or allow withoutRanges: "download"',
    });
  }
  const whole = probe.status === 200 ? probe : await get(undefined, options.signal);
  return { ...fromBytes(await body(whole, name)), name };
}

type Get = (range: string, signal: AbortSignal | undefined) => Promise<Response>;

function ranged(name: string, size: number, get: Get, version: string | null): ByteSource {
  return {
    name,
    size,
    async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
      checkRange(this, offset, length, options);
      if (length === 0) return deliver(new Uint8Array(0), options);
      const response = await get(`bytes=${offset}-${offset + length - 1}`, options?.signal);
      const unchanged = response.headers.get("etag") === version;
      if (response.status !== 206 || !unchanged) {
        await response.body?.cancel();
        throw ioError(name, unchanged ? "a Range request was not answered" : "the file changed meanwhile");
      }
      const bytes = await body(response, name);
      if (bytes.byteLength !== length) throw ioError(name, `${bytes.byteLength} bytes came for ${length}`);
      return deliver(bytes, options);
    },
  };
}

async function body(response: Response, name: string): Promise<Uint8Array> {
  return new Uint8Array(
    await response.arrayBuffer().catch((cause: unknown) => {
      throw ioError(name, "the download broke off", cause);
    }),
  );
}

/** From `Content-Range: bytes 0-0/1234`; an empty file answers 416 with a total of 0. */
function totalSize(response: Response): number | undefined {
  const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  return (response.status === 206 || response.status === 416) && total !== undefined ? Number(total) : undefined;
}

function ioError(where: string, what: string, cause?: unknown): Error {
  return formatError("format.io", { what, where, advice: "check the address and the network", cause });
}
