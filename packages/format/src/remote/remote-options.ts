import type { OptionTypes } from "../options.ts";

/** Options of fetching a URL. */
export interface UrlOptions {
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request, e.g. an authorization header. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do when the server does not support Range requests: `download` the whole file into memory (default), or
   * `refuse`.
   */
  readonly withoutRanges?: "download" | "refuse" | undefined;
  /** The number of retries of a range; each continues where the last one broke off. @default 3 */
  readonly retries?: number | undefined;
  /** The milliseconds before the first retry; each further delay is twice as long. @default 250 */
  readonly retryDelay?: number | undefined;
  /** The milliseconds without a byte after which a request fails; `Infinity` disables the timeout. @default 30 000 */
  readonly stallTimeout?: number | undefined;
}

/** The types of {@link UrlOptions}. */
export const URL_OPTIONS: OptionTypes = {
  fetch: "function",
  headers: "object",
  signal: "AbortSignal",
  withoutRanges: '"download" | "refuse"',
  retries: "number from 0",
  retryDelay: "number from 0",
  stallTimeout: "number",
};
