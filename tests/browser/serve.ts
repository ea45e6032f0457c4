import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, posix } from "node:path";
import { text } from "node:stream/consumers";

/** What is served, and how. */
export interface ServeOptions {
  /** Folder by path prefix; the first that fits is taken. */
  readonly folders: Readonly<Record<string, string>>;
  /** Sends the headers that make pages cross-origin isolated. @default false */
  readonly isolated?: boolean;
  /** Answers what is posted; `gone` aborts when who has posted it no longer waits. @default it is not read */
  readonly answer?: (body: string, gone: AbortSignal) => Promise<string>;
}

/** A request that was answered. */
export interface Answered {
  readonly path: string;
  readonly status: number;
}

/** A web server that runs. */
export interface Site {
  readonly url: string;
  /** What was asked for so far. */
  readonly requests: readonly Answered[];
  /** Answers 404 to the next request for such a path. */
  refuseNext(path: RegExp): void;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const HEADERS = {
  // The strictest policy that the README of the backend promises to work under.
  "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
  "Accept-Ranges": "bytes",
  "Cache-Control": "no-store",
};

const ISOLATED_HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Serves folders on a free port of this machine, with Range requests. */
export async function serve({ folders, isolated = false, answer }: ServeOptions): Promise<Site> {
  const requests: Answered[] = [];
  const refused: RegExp[] = [];
  const headers = isolated ? { ...HEADERS, ...ISOLATED_HEADERS } : HEADERS;
  const server = createServer(async (request, response) => {
    if (answer !== undefined && request.method === "POST") {
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      response.writeHead(200, headers).end(await answer(await text(request), gone.signal));
      return;
    }
    const path = decodeURIComponent(new URL(request.url!, "http://localhost").pathname);
    const refusal = refused.findIndex((pattern) => pattern.test(path));
    if (refusal >= 0) refused.splice(refusal, 1);
    const file = refusal >= 0 ? null : fileOf(folders, path);
    const status = sendFile(file, headers, request, response);
    requests.push({ path, status });
  });
  // A connection that the server closes while the page sends a post on it is an error there: browsers repeat no posts.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refuseNext: (path) => void refused.push(path),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function fileOf(folders: ServeOptions["folders"], path: string): string {
  const [prefix, folder] = Object.entries(folders).find(([start]) => path.startsWith(start))!;
  const rest = posix.normalize(`/${path.slice(prefix.length)}`);
  return join(folder, rest === "/" ? "index.html" : rest);
}

function sendFile(
  path: string | null,
  headers: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
): number {
  const found = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || !found?.isFile()) {
    response.writeHead(404, headers).end();
    return 404;
  }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const status = from === undefined ? 200 : 206;
  const start = Number(from ?? 0);
  const end = Math.min(to ? Number(to) : found.size - 1, found.size - 1);
  response.writeHead(status, {
    ...headers,
    "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
    "Content-Length": end - start + 1,
    ...(status === 206 ? { "Content-Range": `bytes ${start}-${end}/${found.size}` } : {}),
  });
  if (found.size === 0) response.end();
  else createReadStream(path, { start, end }).pipe(response);
  return status;
}
