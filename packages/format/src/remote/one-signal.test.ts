import { getEventListeners } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ByteSource, ReadOptions } from "../byte-source.ts";
import { fromUrl } from "../source-url.ts";
import { type FakeOptions, fakeServer } from "./fake-server.test-helper.ts";

const MB = 2 ** 20;
const READS = 50;
const FILE = new Uint8Array(8 * MB).map((_, i) => i >> 12);

const warnings: string[] = [];
const warn = ({ name }: Error): void => void warnings.push(name);
beforeAll(() => void process.on("warning", warn));
afterAll(() => void process.off("warning", warn));

const starts = Array.from({ length: READS }, (_, i) => 70_000 + i * 150_000);

/** Reads at the same time with one signal. A length below 64 kB is served from blocks, what is longer is a request. */
const readAll = async (source: ByteSource, length: number, options: ReadOptions): Promise<void> => {
  const read = await Promise.all(starts.map((start) => source.read(start, length, options)));
  for (const [i, bytes] of read.entries()) {
    expect(Buffer.compare(bytes, FILE.subarray(starts[i]!, starts[i]! + length))).toBe(0);
  }
};

const readExpected = async (source: ByteSource, options: ReadOptions): Promise<void> => {
  const enough = starts.map((start) => source.expect!([{ offset: start, length: 1000 }], options));
  await readAll(source, 1000, options);
  for (const end of enough) end();
};

/** Fails each request but the first once. */
const busy: FakeOptions = {
  trouble: (request) => (request > 0 && request <= READS ? { kind: "status", status: 503 } : undefined),
};

it.each<[string, FakeOptions, (source: ByteSource, options: ReadOptions) => Promise<void>]>([
  ["from blocks", {}, (source, options) => readAll(source, 1000, options)],
  ["by requests of their own", {}, (source, options) => readAll(source, 100_000, options)],
  ["that were announced", {}, readExpected],
  ["that are retried", busy, (source, options) => readAll(source, 100_000, options)],
])("fifty reads %s add one listener to their signal, and leave none", async (_, server, readWith) => {
  const { signal } = new AbortController();
  let most = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>): void => {
    add(...args);
    most = Math.max(most, getEventListeners(signal, "abort").length);
  };
  const { fetch } = fakeServer(FILE, { ...server, chunk: MB });
  const source = await fromUrl("https://models.test/model.pt2", { fetch, retryDelay: 5, signal });
  most = 0;
  await readWith(source, { signal });
  await source.close?.();
  expect(most).toBe(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  // A warning is emitted in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

it("an abort ends all reads of its signal and leaves no listener", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { fetch } = fakeServer(FILE, {
    trouble: (request) => (request > 0 ? { kind: "stall", after: 0 } : undefined),
  });
  const source = await fromUrl("https://models.test/model.pt2", { fetch });
  source.expect!([{ offset: MB, length: MB }], { signal });
  const reads = [...starts.map((start) => source.read(start, 1000, { signal })), source.read(MB, MB, { signal })];
  const settled = Promise.allSettled(reads);
  controller.abort(new Error("enough"));
  expect(new Set((await settled).map((read) => (read as PromiseRejectedResult).reason))).toEqual(
    new Set([signal.reason]),
  );
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
