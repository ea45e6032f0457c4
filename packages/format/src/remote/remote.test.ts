import { describe, expect, it } from "vitest";
import type { ByteSource } from "../byte-source.ts";
import { fromUrl } from "../source-url.ts";
import { type FakeOptions, type FakeServer, fakeServer, type Trouble } from "./fake-server.test-helper.ts";
import type { UrlOptions } from "./remote-options.ts";

const URL_OF_IT = "https://models.test/model.pt2";
const MB = 2 ** 20;

/** Makes bytes whose values depend on their position. */
function bytesOf(length: number): Uint8Array {
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, (_, i) => i);
  return new Uint8Array(words.buffer, 0, length);
}

const FILE = bytesOf(3 * MB + 5);

/** Whether bytes are the same; compared without a message per byte. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

async function open(
  file: Uint8Array,
  options?: FakeOptions,
  urlOptions?: UrlOptions,
): Promise<{ readonly server: FakeServer; readonly source: ByteSource }> {
  const server = fakeServer(file, options);
  return { server, source: await fromUrl(URL_OF_IT, { fetch: server.fetch, retryDelay: 0, ...urlOptions }) };
}

describe("remote files", () => {
  it.each([1, 1000, 64 * 1024, 64 * 1024 + 1, MB])(
    "remote files of %i bytes are downloaded whole, each byte once",
    async (length) => {
      const file = bytesOf(length);
      const { server, source } = await open(file);
      expect(same(await source.read(0, length), file)).toBe(true);
      expect(server.ranges).toHaveLength(length <= 64 * 1024 ? 1 : 2);
      expect(server.sent()).toBe(length);
    },
  );

  it("remote files of zero bytes are not an error", async () => {
    expect((await open(new Uint8Array(0))).source.size).toBe(0);
  });

  it("remote files of more than 1 MB are read in ranges", async () => {
    const { server, source } = await open(FILE);
    expect(source.size).toBe(FILE.length);
    expect(same(await source.read(MB, 100), FILE.slice(MB, MB + 100))).toBe(true);
    expect(server.sent()).toBeLessThan(MB);
  });

  it("a remote file's first and last bytes are requested once", async () => {
    const { server, source } = await open(FILE);
    await source.read(FILE.length - 100_000, 100_000);
    expect(same(await source.read(0, FILE.length), FILE)).toBe(true);
    expect(server.sent()).toBe(FILE.length);
  });
});

describe("servers that send more than requested", () => {
  const all = (_: number, __: number, size: number): readonly [number, number] => [0, size];
  it.each<[string, FakeOptions]>([
    ["the whole file with status 200", { send: () => null }],
    ["the whole file with status 206", { send: all }],
    ["the whole file, whose range the page may not see", { send: all, hidesRange: true }],
    ["a range that the page may not see", { hidesRange: true }],
  ])("a server may send %s", async (_, options) => {
    const { server, source } = await open(FILE, options);
    expect(same(await source.read(0, FILE.length), FILE)).toBe(true);
    expect(same(await source.read(77, 1000), FILE.slice(77, 1077))).toBe(true);
    expect(server.sent()).toBe(FILE.length);
  });

  it("a server may send more than requested only for later requests", async () => {
    const { source } = await open(FILE, { send: (start, end, size) => (start === 0 ? [start, end] : [0, size]) });
    expect(same(await source.read(MB, MB), FILE.slice(MB, 2 * MB))).toBe(true);
  });

  it("a server may also send less than requested", async () => {
    const { server, source } = await open(FILE, { send: (start, end) => [start, Math.min(end, start + 300_000)] });
    expect(same(await source.read(0, FILE.length), FILE)).toBe(true);
    expect(server.sent()).toBe(FILE.length);
  });
});

describe("a remote source rejects", () => {
  it("a remote source rejects other bytes than requested", async () => {
    const { source } = await open(FILE, { send: (start, end) => (start === 0 ? [start, end] : [start + 1, end]) });
    await expect(source.read(MB, MB)).rejects.toMatchObject({ code: "format.io", what: /came where/ });
    const first = open(FILE, { send: (start, end) => [start + 1, end] });
    await expect(first).rejects.toMatchObject({ code: "format.io" });
  });

  it.each<[string, (request: number) => Readonly<Record<string, string>>]>([
    ["another ETag", (request) => ({ ETag: request === 0 ? '"a"' : '"b"' })],
    ["an ETag that is gone", (request): Record<string, string> => (request === 0 ? { ETag: '"a"' } : {})],
    ["a later date", (request) => ({ "Last-Modified": `Sun, 0${request + 1} Nov 2026 00:00:00 GMT` })],
  ])("a remote source rejects a file that changed: %s", async (_, headers) => {
    const { source } = await open(FILE, { headers });
    await expect(source.read(MB, MB)).rejects.toMatchObject({
      what: "the file changed on the server while it was read",
    });
  });

  it("a remote source rejects a file that changed its size", async () => {
    const server = fakeServer(FILE);
    const longer = fakeServer(bytesOf(4 * MB));
    const fetch = ((...args: Parameters<typeof globalThis.fetch>) =>
      (server.ranges.length === 0 ? server : longer).fetch(...args)) as typeof globalThis.fetch;
    const source = await fromUrl(URL_OF_IT, { fetch });
    await expect(source.read(MB, MB)).rejects.toMatchObject({
      what: "the file changed on the server while it was read",
    });
  });

  it("a remote source accepts a weak tag of the same content, and another date with the same tag", async () => {
    const { source } = await open(FILE, {
      headers: (request) => ({ ETag: request === 0 ? '"a"' : 'W/"a"', "Last-Modified": String(request) }),
    });
    expect(same(await source.read(MB, MB), FILE.slice(MB, 2 * MB))).toBe(true);
  });

  it("a remote source rejects a body without a length that does not end", async () => {
    const chunk = new Uint8Array(64 * MB);
    let canceled = false;
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(chunk),
        cancel() {
          canceled = true;
        },
      });
    const fetch = (async () => new Response(body())) as unknown as typeof globalThis.fetch;
    await expect(fromUrl(URL_OF_IT, { fetch })).rejects.toMatchObject({
      code: "format.limit",
      details: { limit: "unsizedDownloadBytes" },
    });
    expect(canceled).toBe(true);
  });

  it("a remote source rejects a length that cannot be allocated", async () => {
    const headers = { "Content-Length": String(2 ** 52) };
    const fetch = (async () => new Response(new Uint8Array(3), { headers })) as unknown as typeof globalThis.fetch;
    await expect(fromUrl(URL_OF_IT, { fetch })).rejects.toMatchObject({
      code: "format.io",
      what: expect.stringContaining("cannot be allocated"),
    });
  });
});

describe("a failed request", () => {
  /** Trouble with some requests and not with others. */
  const at = (requests: readonly number[], trouble: Trouble): FakeOptions => ({
    trouble: (request) => (requests.includes(request) ? trouble : undefined),
  });

  it.each<[string, FakeOptions]>([
    ["503", at([1, 2, 3], { kind: "status", status: 503 })],
    ["429", at([1], { kind: "status", status: 429 })],
    ["no answer", at([1, 2], { kind: "no answer" })],
    ["a body that breaks off", at([1, 2], { kind: "break", after: 500_000 })],
    ["the first answer breaks off", at([0], { kind: "break", after: 20_000 })],
    ["503 for the first request", at([0, 1], { kind: "status", status: 503 })],
  ])("a failed request is retried where it broke off: %s", async (_, options) => {
    const { server, source } = await open(FILE, options);
    expect(same(await source.read(0, FILE.length), FILE)).toBe(true);
    expect(server.sent()).toBeLessThan(FILE.length + 64 * 1024);
  });

  it("a failed request is given up after some retries, with the last error", async () => {
    const { server, source } = await open(FILE, {
      trouble: (request) => (request === 0 ? undefined : { kind: "status", status: 502 }),
    });
    await expect(source.read(MB, MB)).rejects.toMatchObject({ what: "the server answered 502" });
    expect(server.ranges).toHaveLength(5);
    const once = await open(
      FILE,
      { trouble: (request) => (request === 0 ? undefined : { kind: "break", after: 0 }) },
      { retries: 0 },
    );
    await expect(once.source.read(MB, MB)).rejects.toMatchObject({ what: "the download broke off" });
    expect(once.server.ranges).toHaveLength(2);
  });

  it("a failed request is not retried where a retry cannot succeed", async () => {
    const { server, source } = await open(FILE, at([1], { kind: "status", status: 403 }));
    await expect(source.read(MB, MB)).rejects.toMatchObject({ what: "the server answered 403" });
    expect(server.ranges).toHaveLength(2);
    const unreachable = fakeServer(FILE, { trouble: () => ({ kind: "no answer" }) });
    await expect(fromUrl(URL_OF_IT, { fetch: unreachable.fetch })).rejects.toMatchObject({
      what: "the request failed",
    });
    expect(unreachable.ranges).toHaveLength(1);
  });

  it.each([
    [new Error("connect ECONNREFUSED 127.0.0.1:9"), "the request failed: connect ECONNREFUSED 127.0.0.1:9"],
    [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "the request failed: ECONNREFUSED"],
    [undefined, "the request failed"],
  ])("a failed request says what Node says of it: %s", async (cause, what) => {
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    await expect(fromUrl(URL_OF_IT, { fetch })).rejects.toMatchObject({ what });
  });

  it.each<[number, RegExp]>([
    [401, /headers: \{ Authorization \}/],
    [404, /^check the address$/],
    [503, /try again later/],
  ])("an answer of %d has advice of its own", async (status, advice) => {
    const server = fakeServer(FILE, { trouble: () => ({ kind: "status", status }) });
    await expect(fromUrl(URL_OF_IT, { fetch: server.fetch, retries: 0 })).rejects.toMatchObject({
      code: "format.io",
      what: `the server answered ${status}`,
      advice: expect.stringMatching(advice),
    });
  });

  it.each([undefined, "models/model.pt2", 5])("%o is not an address", async (url) => {
    await expect(fromUrl(url as string)).rejects.toMatchObject({
      code: "format.io",
      what: `\`${url}\` is not an address`,
      advice: expect.stringContaining("fromFile(path)"),
    });
  });

  it("a stalled request is a failed one", async () => {
    const { server, source } = await open(FILE, at([1], { kind: "stall", after: 100_000 }), { stallTimeout: 20 });
    expect(same(await source.read(MB, MB), FILE.slice(MB, 2 * MB))).toBe(true);
    expect(server.sent()).toBe(64 * 1024 + MB);
    const stalls: FakeOptions = { trouble: (request) => (request === 0 ? undefined : { kind: "stall", after: 0 }) };
    const hopeless = await open(FILE, stalls, { stallTimeout: 5 });
    await expect(hopeless.source.read(MB, MB)).rejects.toMatchObject({
      code: "format.io",
      what: "the server sent nothing for 0.005 s",
    });
  });
});

describe("an abort rejects with the signal's reason", () => {
  const reason = new Error("closed by the user");
  const stall = (from: number, after: number): FakeOptions => ({
    trouble: (request) => (request >= from ? { kind: "stall", after } : undefined),
  });

  it.each<[string, FakeOptions]>([
    ["before the first bytes", stall(0, 0)],
    ["in a whole download", { ...stall(0, 100_000), send: () => null }],
    ["in the rest of a small file", { ...stall(1, 0) }],
  ])("an abort of an open rejects with the signal's reason: %s", async (_, options) => {
    const controller = new AbortController();
    const server = fakeServer(FILE.subarray(0, 700_000), options);
    const opening = fromUrl(URL_OF_IT, { fetch: server.fetch, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(opening).rejects.toBe(reason);
  });

  it.each<[string, FakeOptions]>([
    ["in a range", stall(1, 100_000)],
    ["in a range whose body does not end", { trouble: (n) => (n > 0 ? { kind: "deaf", after: 100_000 } : undefined) }],
    ["between attempts", { trouble: (request) => (request > 0 ? { kind: "status", status: 503 } : undefined) }],
  ])("an abort of a read rejects with the signal's reason: %s", async (_, options) => {
    const controller = new AbortController();
    const { source } = await open(FILE, options, { retryDelay: 1e6 });
    const reading = source.read(MB, MB, { signal: controller.signal });
    const expected = source.expect!([{ offset: MB, length: MB }], { signal: controller.signal });
    const taking = source.read(MB, MB, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(reading).rejects.toBe(reason);
    await expect(taking).rejects.toBe(reason);
    expected();
  });
});

describe("announced ranges", () => {
  const LONG = bytesOf(24 * MB);
  const parts = (count: number, step: number, length: number): { offset: number; length: number }[] =>
    Array.from({ length: count }, (_, i) => ({ offset: MB + i * step, length }));

  it("announced ranges are fetched by one request, in whatever order they are read", async () => {
    const { server, source } = await open(FILE);
    const ranges = parts(20, 50_000, 49_000);
    const enough = source.expect!(ranges);
    for (const { offset, length } of [...ranges].sort((a, b) => (a.offset % 7) - (b.offset % 7))) {
      expect(same(await source.read(offset, length), FILE.slice(offset, offset + length))).toBe(true);
    }
    enough();
    expect(server.ranges).toHaveLength(2);
  });

  it("announced ranges are fetched once even if they are announced twice", async () => {
    const { server, source } = await open(FILE);
    const ranges = parts(3, 100_000, 100_000);
    const ends = [source.expect!(ranges), source.expect!(ranges)];
    await Promise.all(ranges.map(({ offset, length }) => source.read(offset, length)));
    for (const end of ends) end();
    expect(server.ranges).toHaveLength(2);
    expect(server.sent()).toBe(64 * 1024 + 300_000);
  });

  it("announced ranges may be read in pieces, into memory, and again", async () => {
    const { source } = await open(LONG);
    const enough = source.expect!([{ offset: MB, length: 20 * MB }]);
    for (let at = MB; at < 21 * MB; at += 3 * MB) {
      const length = Math.min(3 * MB, 21 * MB - at);
      const into = new Uint8Array(length);
      await source.read(at, length, { into });
      expect(Buffer.compare(into, LONG.subarray(at, at + length))).toBe(0);
    }
    expect(same(await source.read(MB, 70_000), LONG.slice(MB, MB + 70_000))).toBe(true);
    enough();
  });

  it("announced ranges are buffered up to a limit while they are not read", async () => {
    const { server, source } = await open(LONG, { chunk: MB });
    const enough = source.expect!([{ offset: MB, length: 22 * MB }]);
    // A read of bytes that have arrived does not wait.
    await source.read(MB, MB);
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(server.sent()).toBeLessThan(12 * MB);
    // A waiting read of later bytes completes too.
    expect(same(await source.read(20 * MB, 100), LONG.slice(20 * MB, 20 * MB + 100))).toBe(true);
    enough();
  });

  it("ranges are read directly after their announcement was canceled or failed", async () => {
    const { source } = await open(FILE, {
      trouble: (request) => (request === 1 ? { kind: "stall", after: 0 } : undefined),
    });
    const enough = source.expect!([{ offset: MB, length: MB }]);
    const reading = source.read(MB, MB);
    enough();
    expect(same(await reading, FILE.slice(MB, 2 * MB))).toBe(true);

    const failing = await open(FILE, {
      trouble: (request) => (request === 1 ? { kind: "status", status: 403 } : undefined),
    });
    failing.source.expect!([{ offset: MB, length: MB }]);
    await expect(failing.source.read(MB, MB)).rejects.toMatchObject({ what: "the server answered 403" });
    expect(same(await failing.source.read(MB, MB), FILE.slice(MB, 2 * MB))).toBe(true);
  });

  it("announced ranges are canceled when their source is closed", async () => {
    const { source } = await open(FILE, {
      trouble: (request) => (request === 1 ? { kind: "stall", after: 0 } : undefined),
    });
    source.expect!([{ offset: MB, length: MB }]);
    const reading = source.read(MB, MB);
    await source.close!();
    await expect(reading).rejects.toMatchObject({ code: "format.closed" });
  });
});
