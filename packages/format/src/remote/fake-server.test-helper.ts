/** A failure of a fake server's response. Bytes are counted from the start of the body. */
export type Trouble =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "no answer" }
  | { readonly kind: "break"; readonly after: number }
  | { readonly kind: "stall"; readonly after: number }
  /** As `stall`, and the body does not end when the request is aborted. */
  | { readonly kind: "deaf"; readonly after: number };

export interface FakeOptions {
  /** The range that is sent for the one that was asked for, or null for the whole file with status 200. */
  readonly send?: (start: number, end: number, size: number) => readonly [start: number, end: number] | null;
  /** Returns the failure of a request, whose number counts from 0. */
  readonly trouble?: (request: number) => Trouble | undefined;
  readonly headers?: (request: number) => Readonly<Record<string, string>>;
  /** A page of another origin does not see `Content-Range`. */
  readonly hidesRange?: boolean;
  readonly chunk?: number;
}

export interface FakeServer {
  readonly fetch: typeof fetch;
  /** `Range` of each request. */
  readonly ranges: string[];
  /** Bytes that were taken of bodies. */
  sent(): number;
}

/** `fetch` of one file, without a network. */
export function fakeServer(file: Uint8Array, options: FakeOptions = {}): FakeServer {
  const {
    send = (start, end) => [start, end],
    trouble = () => undefined,
    headers = () => ({}),
    chunk = 10_000,
  } = options;
  const ranges: string[] = [];
  let sent = 0;
  const fake = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const { signal } = init;
    signal?.throwIfAborted();
    const asked = new Headers(init.headers).get("range");
    const index = ranges.push(asked ?? "") - 1;
    const bad = trouble(index);
    if (bad?.kind === "no answer") throw new TypeError("fetch failed");
    if (bad?.kind === "status") return new Response(null, { status: bad.status });
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(asked ?? "") ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(to ? Number(to) + 1 : file.byteLength, file.byteLength);
    if (asked !== null && start >= file.byteLength) {
      return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${file.byteLength}` } });
    }
    const span = asked === null ? null : send(start, end, file.byteLength);
    const [first, last] = span ?? [0, file.byteLength];
    let at = first;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          if (bad?.kind !== "deaf") signal?.addEventListener("abort", () => controller.error(signal.reason));
        },
        async pull(controller) {
          if (bad !== undefined && at - first >= bad.after) {
            if (bad.kind === "break") controller.error(new TypeError("terminated"));
            else if (bad.kind === "deaf") await new Promise(() => {});
            // The body stalls until the reader aborts.
            else await new Promise((resolve) => signal?.addEventListener("abort", resolve));
            return;
          }
          if (at >= last) return controller.close();
          const bytes = file.slice(at, Math.min(last, at + chunk));
          at += bytes.byteLength;
          sent += bytes.byteLength;
          controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
    const responseHeaders: Record<string, string> = { "Content-Length": String(last - first), ...headers(index) };
    if (span !== null && options.hidesRange !== true)
      responseHeaders["Content-Range"] = `bytes ${first}-${last - 1}/${file.byteLength}`;
    return new Response(body, { status: span === null ? 200 : 206, headers: responseHeaders });
  };
  return { fetch: fake as typeof fetch, ranges, sent: () => sent };
}
