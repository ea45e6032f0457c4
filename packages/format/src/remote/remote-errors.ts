import { formatError } from "../format-errors.ts";
import type { Pt2Error } from "../pt2-error.ts";

const TRANSIENT = new WeakSet<object>();

/** Marks an error as transient, so that a retry may succeed. */
export function transient<T extends Error>(error: T): T {
  TRANSIENT.add(error);
  return error;
}

export function isTransient(error: unknown): boolean {
  return typeof error === "object" && error !== null && TRANSIENT.has(error);
}

export function ioError(
  where: string,
  what: string,
  cause?: unknown,
  advice = "check the address and the network",
): Pt2Error {
  return formatError("format.io", { what, where, advice, cause });
}

export function brokenOff(where: string, cause?: unknown): Pt2Error {
  return transient(ioError(where, "the download broke off", cause));
}

/** The status codes of overloaded servers and gateways. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export function refusedBy(where: string, status: number): Pt2Error {
  const isBusy = BUSY.has(status);
  const advice = isBusy
    ? "the server is busy or broken: try again later"
    : status === 401 || status === 403
      ? "it may want to know who asks: fromUrl(url, { headers: { Authorization } }) of @pt2/format"
      : "check the address";
  const error = ioError(where, `the server answered ${status}`, undefined, advice);
  return isBusy ? transient(error) : error;
}

export function changed(where: string): Pt2Error {
  return formatError("format.io", {
    what: "the file changed on the server while it was read",
    where,
    advice: "load it again; if the file was not replaced, several servers behind the address serve different files",
  });
}
