import { type ByteSource, fromBytes } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import { requireOptions } from "../options.ts";
import { readInBlocks } from "../read-in-blocks.ts";
import { type FileVersion, isSameVersion, versionOf } from "./file-version.ts";
import { type Answer, ask } from "./http-request.ts";
import { prefetchingSource } from "./prefetching-source.ts";
import { readWhole } from "./read-whole-file.ts";
import { changed, ioError, refusedBy } from "./remote-errors.ts";
import { RemoteFile } from "./remote-file.ts";
import { URL_OPTIONS, type UrlOptions } from "./remote-options.ts";
import { Retries } from "./retries.ts";

/** The bytes of the first request. It begins at offset 0, which every server and every proxy supports. */
const FIRST = 64 * 1024;
/** Files up to this size are read whole, which takes less time than a second request. */
const SMALL = 2 ** 20;

/** Implements `fromUrl`. */
export async function openUrl(url: string | URL, options: UrlOptions): Promise<ByteSource> {
  requireOptions("fromUrl()", options, URL_OPTIONS, "format.options");
  const name = String(url);
  if (options.fetch === undefined) requireAddress(url, name);
  const { signal } = options;
  const attempts = new Retries(options);
  for (;;) {
    // An unreachable server is not retried: nothing is lost, and the cache may have a copy of the file.
    const first = await ask(name, { offset: 0, length: FIRST }, options, signal);
    try {
      return await open(first, name, options);
    } catch (problem) {
      await attempts.again(problem, signal);
    }
  }
}

/** Refuses what `fetch` would call a failed request, such as a path in Node, where relative addresses lead nowhere. */
function requireAddress(url: unknown, name: string): void {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  if ((typeof url === "string" || url instanceof URL) && URL.canParse(name, base)) return;
  throw formatError("format.io", {
    what: `\`${name}\` is not an address`,
    advice: "pass an absolute one, https://…; a file is opened by fromFile(path) of @pt2/format/node",
  });
}

async function open(first: Answer, name: string, options: UrlOptions): Promise<ByteSource> {
  const { signal } = options;
  const { status, range, headers } = first;
  if (status === 416) {
    first.cancel();
    return named(new Uint8Array(0), name);
  }
  if (status === 200) {
    if (options.withoutRanges === "refuse") {
      first.cancel();
      throw withoutRanges(name);
    }
    return named(await readWhole(first, name), name);
  }
  if (status !== 206 || (range !== undefined && range.start !== 0)) {
    first.cancel();
    throw status === 206 ? ioError(name, "the server sent other bytes than requested") : refusedBy(name, status);
  }
  const head = await readWhole(first, name);
  if (range === undefined) return await withoutTotal(head, versionOf(headers), name, options);
  if (head.byteLength === range.total) return named(head, name);
  const file = new RemoteFile(name, { size: range.total, version: versionOf(headers), head }, options);
  if (file.size <= SMALL) return named(await file.read(0, file.size, { signal }), name);
  return prefetchingSource(readInBlocks(file), (part, ends) => file.stream(part, ends));
}

/** A page may not see the size of a file of another origin, so the rest is read in one piece. */
async function withoutTotal(
  head: Uint8Array,
  version: FileVersion,
  name: string,
  options: UrlOptions,
): Promise<ByteSource> {
  // Any other length means that the response was the whole file.
  if (head.byteLength !== FIRST) return named(head, name);
  if (options.withoutRanges === "refuse") throw withoutRanges(name);
  const rest = await ask(name, { offset: head.byteLength }, options, options.signal);
  if (rest.status === 200) return named(await readWhole(rest, name), name);
  const isSame = isSameVersion(version, versionOf(rest.headers));
  if (rest.status === 206 && isSame) return named(await readWhole(rest, name, head), name);
  rest.cancel();
  if (!isSame) throw changed(name);
  if (rest.status === 416) return named(head, name);
  throw refusedBy(name, rest.status);
}

function named(bytes: Uint8Array, name: string): ByteSource {
  return { ...fromBytes(bytes), name, isRemote: true };
}

function withoutRanges(where: string): Error {
  return formatError("format.io", {
    what: "the server does not support Range requests",
    where,
    advice: 'serve the file with ranges, or allow withoutRanges: "download"',
  });
}
