import { wasm } from "@pt2/backend-wasm/node";
import {
  type LoadOptions,
  load,
  type ModelSource,
  readSchema,
  readWeights,
  type Tensor,
  tensor,
} from "@pt2/runtime/node";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestedBackend, testedBackends } from "../backends.ts";
import { SERVERS, serveModel } from "./model-server.ts";
import { wideModel } from "./wide-model.ts";

const file = await wideModel();
const x = tensor(
  "float32",
  [5, 7],
  Float32Array.from({ length: 35 }, (_, i) => Math.cos(i)),
);

/** The latency in milliseconds: requests of one turn are all made before the first response. */
const LATENCY = 150;

/** The most round trips that a load of a large file may take. */
const MOST_ROUND_TRIPS = 4;
const MOST_BYTES = 1.02;

/** The weights begin in the first bytes of the file, which come with the first response. */
function isForWeights(range: string): boolean {
  return range.startsWith("bytes=65536-");
}

async function answerOf(source: ModelSource, options: LoadOptions): Promise<readonly number[]> {
  await using model = await load(source, options);
  const y = await model.forward<Tensor>(x);
  return Array.from((await y.read()) as Float32Array);
}

const inWorker: TestedBackend = { name: "wasm in a worker", missing: null, create: async () => wasm() };

for (const { name, missing, create, precision } of [inWorker, ...(await testedBackends())]) {
  describe(`a load over HTTP on ${name}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    let options: LoadOptions;
    let expected: readonly number[];
    beforeAll(async () => {
      options = { backend: await create(), ...(precision && { precision }) };
      expected = await answerOf(file, options);
    });
    it.each(Object.entries(SERVERS))("a load takes few round trips and no byte twice: %s", async (_, ranges) => {
      await using server = await serveModel(file, { ranges, latency: LATENCY });
      const answer = await answerOf(server.url, options);
      const { roundTrips, bytes } = server.traffic;
      expect(answer).toEqual(expected);
      expect(roundTrips).toBeLessThanOrEqual(MOST_ROUND_TRIPS);
      expect(bytes).toBeLessThanOrEqual(file.byteLength * MOST_BYTES);
    });

    it("a load continues where a response breaks off", async () => {
      await using server = await serveModel(file, {
        trouble: (range, before) =>
          isForWeights(range) && before === 0 ? { kind: "break", after: 1_000_000 } : undefined,
      });
      expect(await answerOf(server.url, options)).toEqual(expected);
      expect(server.traffic.bytes).toBeLessThanOrEqual(file.byteLength * MOST_BYTES);
      expect(server.traffic.ranges.filter(isForWeights)).toHaveLength(1);
      expect(server.traffic.requests).toBeGreaterThan(3);
    });

    it("a load rejects with an abort's own reason, or with the server's error", async () => {
      await using stalled = await serveModel(file, {
        trouble: (range) => (isForWeights(range) ? { kind: "stall", after: 1_000_000 } : undefined),
      });
      const reason = new Error("the page was closed");
      const controller = new AbortController();
      const loading = load(stalled.url, { ...options, signal: controller.signal });
      const outcome = expect(loading).rejects.toBe(reason);
      await expect.poll(() => stalled.traffic.ranges.some(isForWeights)).toBe(true);
      controller.abort(reason);
      await outcome;

      await using refusing = await serveModel(file, {
        trouble: (range) => (isForWeights(range) ? { kind: "status", status: 403 } : undefined),
      });
      await expect(answerOf(refusing.url, options)).rejects.toMatchObject({
        code: "format.io",
        what: "the server answered 403",
      });
    });

    it("a load never mixes two versions of a file", async () => {
      await using server = await serveModel(file, {
        headers: (request) => ({ "Last-Modified": new Date(request < 2 ? 0 : 1e12).toUTCString() }),
      });
      await expect(answerOf(server.url, options)).rejects.toMatchObject({
        what: "the file changed on the server while it was read",
      });
    });
  });
}

it("a load of the structure alone takes few bytes", async () => {
  await using server = await serveModel(file);
  await readSchema(server.url);
  expect(server.traffic.bytes).toBeLessThan(file.byteLength / 10);
});

it("weights that are read one by one take one request", async () => {
  await using server = await serveModel(file);
  let count = 0;
  for await (const [, { data }] of readWeights(server.url)) count += data.byteLength;
  expect(count).toBeGreaterThan(4_000_000);
  expect(server.traffic.requests).toBeLessThanOrEqual(4);
  expect(server.traffic.bytes).toBeLessThanOrEqual(file.byteLength * MOST_BYTES);
});
