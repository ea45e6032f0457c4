import { onAbort } from "../abort/on-abort.ts";
import { type ByteRange, type ContentRange, contentRange } from "./byte-range.ts";
import { brokenOff, ioError, isTransient, transient } from "./remote-errors.ts";
import type { UrlOptions } from "./remote-options.ts";

const STALL_MS = 30_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An answer, and its body as it comes. Cancel it unless the body is read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** What of the file it says that it brings. */
  readonly range: ContentRange | undefined;
  /** Ends with the signal's reason, or with an error that says what happened. */
  body(): AsyncGenerator<Uint8Array, void, void>;
  cancel(): void;
}

/** Asks for a file, or for a part of it, once. */
export async function ask(
  url: string,
  range: (Pick<ByteRange, "offset"> & { readonly length?: number }) | undefined,
  options: UrlOptions,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { stallTimeout = STALL_MS } = options;
  const request = options.fetch ?? fetch;
  const headers: Record<string, string> = { ...options.headers };
  // A content coding would make ranges count encoded bytes.
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
    throw watch.reason() ?? transient(ioError(url, "the request failed", cause));
  }
}

function headerOf({ offset, length }: { readonly offset: number; readonly length?: number }): string {
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`;
}

async function* bodyOf(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, void> {
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      watch.start();
      const { done, value } = await reader.read();
      // While nobody asks for more, the server waits for us.
      watch.pause();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw watch.reason() ?? (isTransient(cause) ? cause : brokenOff(watch.url, cause));
  } finally {
    watch.end();
    await reader?.cancel().catch(() => {});
  }
}

/** Ends a request when its signal says so, or when nothing came for too long. */
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

  /** What ended the request, if it was not the request itself. */
  reason(): unknown {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  start(): void {
    // Timers cannot wait longer than this; whoever asks for more does not want to be disturbed.
    if (this.#stallTimeout > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      const what = `nothing came for ${this.#stallTimeout / 1000} s`;
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
