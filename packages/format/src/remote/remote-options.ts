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
  /** How often a range that failed is asked for again; each time it goes on where it broke off. @default 3 */
  readonly retries?: number | undefined;
  /** Milliseconds before a range is asked for again; twice as many before each further time. @default 250 */
  readonly retryDelay?: number | undefined;
  /** Milliseconds without a byte after which a request counts as failed; `Infinity` waits. @default 30 000 */
  readonly stallTimeout?: number | undefined;
}
