import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The bytes `start` to `end`, both included, as `Content-Range` counts. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a server responds to a request for a range. Null: with the whole file, and status 200. */
export type RangeBehavior = (range: string, size: number) => Span | null | "unsatisfiable";

/** The standard's behavior. */
const standard: RangeBehavior = (range, size) => {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (from === undefined || to === undefined || from + to === "") return null;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start >= size ? "unsatisfiable" : { start, end };
};

/**
 * The behavior of sirv, on which Vite's servers are built: an end of 0 counts as absent, and so does a missing start.
 */
const sirv: RangeBehavior = (range, size) => {
  const [from, to] = range.replace("bytes=", "").split("-") as [string, string];
  const start = Number.parseInt(from, 10) || 0;
  const end = Number.parseInt(to, 10) || size - 1;
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size - 1) };
};

/** Behaviors of real servers. */
export const SERVERS: Readonly<Record<"ranges" | "sirv" | "whole as 206" | "whole as 200", RangeBehavior>> = {
  ranges: standard,
  sirv,
  "whole as 206": (_, size) => ({ start: 0, end: size - 1 }),
  "whole as 200": () => null,
};

/** A failure instead of a response. Bytes count from the beginning of its body. */
export type Trouble =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "break"; readonly after: number }
  | { readonly kind: "stall"; readonly after: number };

export interface ServerOptions {
  readonly ranges?: RangeBehavior;
  /** The milliseconds before each response. */
  readonly latency?: number;
  /** Returns the failure for a request, by its `Range` and how often that was requested before. */
  readonly trouble?: (range: string, before: number) => Trouble | undefined;
  /** Returns the headers of each response, counted from 0. */
  readonly headers?: (request: number) => Readonly<Record<string, string>>;
  /** Whether responses give their length. */
  readonly sized?: boolean;
}

/** The requests that a server received. */
export interface Traffic {
  requests: number;
  /** The length of the longest chain of requests in which each waited for a response before it was made. */
  roundTrips: number;
  /** The bytes of bodies that were sent. */
  bytes: number;
  readonly ranges: string[];
}

/** A server of one file that counts requests. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly traffic: Traffic;
}

const CHUNK = 64 * 1024;

/** Serves `file` at an address on this machine. */
export async function serveModel(file: Uint8Array, options: ServerOptions = {}): Promise<ModelServer> {
  const { ranges = standard, latency = 0, trouble = () => undefined, headers = () => ({}), sized = true } = options;
  const traffic: Traffic = { requests: 0, roundTrips: 0, bytes: 0, ranges: [] };
  let answered = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const index = traffic.requests++;
    const depth = answered + 1;
    const { range } = request.headers;
    const before = traffic.ranges.filter((other) => other === range).length;
    traffic.ranges.push(range ?? "");
    traffic.roundTrips = Math.max(traffic.roundTrips, depth);
    await sleep(latency);
    answered = Math.max(answered, depth);
    const bad = trouble(range ?? "", before);
    if (bad?.kind === "status") return void response.writeHead(bad.status).end();
    const span = range === undefined ? null : ranges(range, file.byteLength);
    if (span === "unsatisfiable") {
      return void response.writeHead(416, { "Content-Range": `bytes */${file.byteLength}` }).end();
    }
    const { start, end } = span ?? { start: 0, end: file.byteLength - 1 };
    response.writeHead(span === null ? 200 : 206, {
      ...(span && { "Content-Range": `bytes ${start}-${end}/${file.byteLength}` }),
      ...(sized && { "Content-Length": end - start + 1 }),
      ...headers(index),
    });
    const body = Readable.from(chunks(file.subarray(start, end + 1), bad?.after));
    body.on("data", (chunk: Uint8Array) => {
      traffic.bytes += chunk.byteLength;
    });
    if (bad === undefined) return await pipeline(body, response);
    await pipeline(body, response, { end: false });
    if (bad.kind === "break") response.destroy();
  };

  const server = createServer((request, response) => {
    // The client may disconnect in the middle.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.pt2`,
    traffic,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function* chunks(bytes: Uint8Array, most = bytes.byteLength): Generator<Uint8Array> {
  for (let at = 0; at < most; at += CHUNK) yield bytes.subarray(at, Math.min(at + CHUNK, most));
}
