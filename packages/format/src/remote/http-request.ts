import { onAbort } from "../abort/on-abort.ts";
import { unlessAborted } from "../abort/unless-aborted.ts";
import { type ByteRange, type ContentRange, contentRange } from "./byte-range.ts";
import { brokenOff, ioError, isTransient, transient } from "./remote-errors.ts";
import type { UrlOptions } from "./remote-options.ts";

const STALL_MS = 30_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A response whose body is streamed. Cancel it unless the body is read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The range of the file that the response announces. */
  readonly range: ContentRange | undefined;
  /** Throws the signal's reason, or an error that says what happened. */
  body(): AsyncGenerator<Uint8Array, void, void>;
  cancel(): void;
}

/** Requests a file, or a range of it, once. */
export async function ask(
  url: string,
  range: (Pick<ByteRange, "offset"> & { readonly length?: number }) | undefined,
  options: UrlOptions,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { stallTimeout = STALL_MS } = options;
  const request = options.fetch ?? fetch;
  const headers: Record<string, string> = { ...options.headers };
  // Content encoding would make ranges count encoded bytes.
  if (range !== undefined) Object.assign(headers, { Range: headerOf(range), "Accept-Encoding": "identity" });
  const watch = new Watch(url, signal, stallTimeout);
  try {
    watch.start();
    const response = await request(url, { headers, signal: watch.signal });
    watch.pause();
    return {
      status: response.status,
      headers: response.headers,
      range: contentRange(response),
      body: () => bodyOf(response, watch),
      cancel() {
        watch.end();
        void response.body?.cancel().catch(() => {});
      },
    };
  } catch (cause) {
    watch.end();
    throw watch.reason() ?? transient(ioError(url, `the request failed${because(cause)}`, cause));
  }
}

/** What went wrong, where the environment tells: in Node the cause of its error says it, or has a code. */
function because(error: unknown): string {
  const { message, code } = ((error as Error | undefined)?.cause ?? {}) as { message?: unknown; code?: unknown };
  const told = message || code;
  return told === undefined ? "" : `: ${told}`;
}

function headerOf({ offset, length }: { readonly offset: number; readonly length?: number }): string {
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`;
}

async function* bodyOf(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, void> {
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      watch.start();
      // In Node before 24 a read that is under way may never settle after an abort.
      const { done, value } = await unlessAborted(reader.read(), watch.signal);
      // The timer is off here, because the server waits for the reader.
      watch.pause();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw watch.reason() ?? (isTransient(cause) ? cause : brokenOff(watch.url, cause));
  } finally {
    watch.end();
    void reader?.cancel().catch(() => {});
  }
}

/** Aborts a request when its signal aborts, or when no bytes came for too long. */
class Watch {
  readonly url: string;
  readonly #controller = new AbortController();
  readonly #stallTimeout: number;
  readonly #leave: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, outer: AbortSignal | undefined, stallTimeout: number) {
    this.url = url;
    this.#stallTimeout = stallTimeout;
    outer?.throwIfAborted();
    this.#leave = onAbort(outer, () => this.#controller.abort(outer!.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Returns the abort reason, unless the request failed by itself. */
  reason(): unknown {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  start(): void {
    // Timers cannot wait longer than this; a longer timeout means none.
    if (this.#stallTimeout > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      const what = `the server sent nothing for ${this.#stallTimeout / 1000} s`;
      this.#controller.abort(transient(ioError(this.url, what)));
    }, this.#stallTimeout);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    this.#leave();
  }
}
