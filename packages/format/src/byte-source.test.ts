import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ByteSource, fromBlob, fromBytes } from "./byte-source.ts";
import { fixture, fixturePath } from "./fixtures.test-helper.ts";
import { fromFile } from "./node.ts";
import { openArchive } from "./open-archive.ts";
import { fromUrl } from "./source-url.ts";
import { readTensor } from "./tensor-data.ts";
import { crc32 } from "./zip/crc32.ts";

const NAME = "torch-2.14/conv.pt2";
const file = fixture(NAME);

const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Served {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

/** Serves the fixture. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Served> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => void server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.pt2`, requests };
}

const ranges = (request: IncomingMessage, response: ServerResponse): void => {
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
  const [start, end] = [Number(from), Math.min(Number(to), file.length - 1)];
  response.writeHead(206, { "Content-Range": `bytes ${start}-${end}/${file.length}`, Connection: "close" });
  response.end(file.subarray(start, end + 1));
};

const whole = (_: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { Connection: "close" }).end(file);
};

const SOURCES: readonly [string, () => Promise<ByteSource>][] = [
  ["bytes", async () => fromBytes(file)],
  ["a Buffer of Node", async () => fromBytes(Buffer.from(file))],
  ["an ArrayBuffer", async () => fromBytes(file.slice().buffer)],
  ["a Blob", async () => fromBlob(new Blob([file.slice()]))],
  ["a file", () => fromFile(fixturePath(NAME))],
  ["a URL with ranges", async () => fromUrl((await serve(ranges)).url)],
  ["a URL without", async () => fromUrl((await serve(whole)).url)],
];

describe.each(SOURCES)("a byte source over %s", (_, make) => {
  it("a byte source reads the bytes, checks the range and fills the destination", async () => {
    const source = await make();
    closers.push(() => source.close?.());
    expect(source.size).toBe(file.length);
    expect([...(await source.read(100, 50))]).toEqual([...file.subarray(100, 150)]);
    expect((await source.read(file.length, 0)).length).toBe(0);
    // A Buffer's `slice()` would be a view.
    expect((await source.read(0, 2)).constructor).toBe(Uint8Array);
    const into = new Uint8Array(60);
    expect((await source.read(7, 9, { into })).buffer).toBe(into.buffer);
    expect([...into.subarray(0, 9)]).toEqual([...file.subarray(7, 16)]);
    await expect(source.read(file.length - 1, 2)).rejects.toMatchObject({ code: "format.truncated" });
    await expect(source.read(-1, 2)).rejects.toMatchObject({ code: "format.truncated" });
    await expect(source.read(0, 2, { into: new Uint8Array(1) })).rejects.toMatchObject({ code: "format.io" });
    await expect(source.read(0, 2, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it("a byte source opens as an archive", async () => {
    const archive = await openArchive(await make());
    closers.push(() => archive.close());
    const tensors = [...(await archive.weights()).values()];
    const expected = [...(await (await openArchive(fromBytes(file))).weights()).values()];
    expect(await Promise.all(tensors.map((t) => readTensor(t)))).toEqual(
      await Promise.all(expected.map((t) => readTensor(t))),
    );
  });
});

describe("a source over HTTP", () => {
  it("an archive over HTTP is read only where it is needed", async () => {
    const { url, requests } = await serve(ranges);
    const archive = await openArchive(await fromUrl(url, { headers: { Authorization: "Bearer x" } }));
    // The first request asks for more than this file has.
    expect(requests.length).toBe(1);
    expect(requests.every(({ headers }) => headers.authorization === "Bearer x")).toBe(true);
    await archive.program();
  });

  it("a source over HTTP rejects servers without ranges if withoutRanges is `refuse`", async () => {
    const { url } = await serve(whole);
    await expect(fromUrl(url, { withoutRanges: "refuse" })).rejects.toMatchObject({ code: "format.io" });
  });

  it("a source over HTTP reports the status of the response", async () => {
    const { url } = await serve((_, response) => void response.writeHead(404, { Connection: "close" }).end());
    await expect(fromUrl(url)).rejects.toMatchObject({ code: "format.io", what: "the server answered 404" });
  });
});

describe("a source over a file", () => {
  it("a source over a file reports why the file cannot be opened", async () => {
    await expect(fromFile("/nowhere/model.pt2")).rejects.toMatchObject({
      code: "format.io",
      where: "/nowhere/model.pt2",
    });
    await expect(fromFile(fixturePath("torch-2.13"))).rejects.toMatchObject({
      what: "the path is a directory or a device, not a file",
      advice: expect.stringMatching(/^pass one of its files: [a-z_]+\.pt2, /),
    });
    await expect(fromFile(fixturePath(""))).rejects.toMatchObject({ advice: "pass the .pt2 file itself" });
  });

  it("Node's CRC-32 and the one in JavaScript give the same checksums", async () => {
    const source = await fromFile(fixturePath(NAME));
    const bytes = await source.read(0, source.size);
    expect(source.crc32!(bytes)).toBe(crc32(bytes));
    expect(source.crc32!(bytes.subarray(1001), source.crc32!(bytes.subarray(0, 1001)))).toBe(crc32(bytes));
    await source.close!();
  });

  it.each([
    { bytes: file, options: { verifyChecksums: "yes" as never }, why: "with an impossible option" },
    { bytes: file.subarray(0, 100), options: {}, why: "of which a part is missing" },
  ])("an archive $why is refused, and its source closed", async ({ bytes, options }) => {
    const close = vi.fn(async () => {});
    await expect(openArchive({ ...fromBytes(bytes), close }, options)).rejects.toThrow();
    expect(close).toHaveBeenCalledOnce();
  });

  it("a source over a file is closed with its archive", async () => {
    const archive = await openArchive(await fromFile(fixturePath(NAME)));
    const [tensor] = [...(await archive.weights()).values()];
    await archive.close();
    await expect(tensor!.storage.read({ into: new Uint8Array(tensor!.storage.nbytes) })).rejects.toMatchObject({
      code: "format.closed",
    });
  });

  it("files of sources that were dropped and not closed are closed, and Node has nothing to warn of", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    closers.push(async () => process.off("warning", onWarning));
    const descriptors = (): number => readdirSync("/dev/fd").length;
    const before = descriptors();
    await (async () => {
      for (let n = 0; n < 50; n++) await (await fromFile(fixturePath(NAME))).read(0, 100);
    })();
    await expect
      .poll(async () => {
        collect();
        await pause(1);
        return descriptors();
      })
      .toBeLessThan(before + 5);
    expect(warnings).toEqual([]);
  });
});
