import { HostTensor, type Value } from "@pt2/backend";
import { expect, test, vi } from "vitest";
import type { FromWorker, WireValue } from "./protocol.ts";
import { RunSlot } from "./run-slot.ts";
import { SlotServer } from "./serve-slot.ts";

const tensor = (dtype: "float32" | "uint8" | "int64", shape: readonly number[], size: number): WireValue => ({
  dtype,
  shape,
  bytes: Uint8Array.from({ length: size }, (_, i) => i + 1).buffer,
});
const ask = (slot: RunSlot, ...values: readonly WireValue[]): boolean => slot.ask({ id: 7, executable: 3, values });

/** Serves a slot with runs that return what `run` does; returns what it posts. */
function served(slot: RunSlot, run: () => Promise<readonly Value[]>) {
  const posted: FromWorker[] = [];
  const server = new SlotServer(slot, run, { post: (message) => void posted.push(message) });
  return { server, posted, settled: () => new Promise((resolve) => setTimeout(resolve)) };
}

test("tensors of any rank, numbers, booleans and null cross as they are, in memory of the receiver", () => {
  const slot = new RunSlot();
  const values = [
    tensor("float32", [], 4),
    tensor("uint8", [3, 1], 3),
    tensor("int64", [0, 2], 0),
    -0,
    2.5,
    true,
    false,
  ];
  expect(ask(slot, ...values, null)).toBe(true);
  const there = new RunSlot(slot.buffer);
  const taken = there.take();
  expect(taken).toEqual({ id: 7, executable: 3, values: [...values, null] });
  expect(there.take()).toBeNull();
  expect((taken!.values[1] as { bytes: unknown }).bytes).toBeInstanceOf(ArrayBuffer);
});

test("what does not fit is refused: many bytes, many values, integers beyond numbers, strings", () => {
  const slot = new RunSlot();
  expect(ask(slot, tensor("uint8", [200_000], 200_000))).toBe(false);
  expect(ask(slot, ...Array.from({ length: 20_000 }, () => 1))).toBe(false);
  expect(ask(slot, 1n)).toBe(false);
  expect(ask(slot, "word")).toBe(false);
  expect(slot.take()).toBeNull();
  expect(ask(slot, 1)).toBe(true);
});

test("an answer to a caller that looks is not posted; one to a caller that sleeps is", async () => {
  const slot = new RunSlot();
  const { server, posted, settled } = served(slot, async () => [new HostTensor("uint8", [2], Uint8Array.of(8, 9))]);
  for (const looks of [true, false]) {
    ask(slot, 1);
    slot.callerLooks = looks;
    server.answer();
    await settled();
    expect(slot.takeAnswer()).toMatchObject({
      id: 7,
      values: [{ dtype: "uint8", shape: [2], bytes: Uint8Array.of(8, 9).buffer }],
    });
    expect(posted).toEqual(looks ? [] : [{ kind: "answered" }]);
    expect(slot.workerLooks).toBe(false);
  }
});

test("errors, and results that do not fit, are messages", async () => {
  const slot = new RunSlot();
  const big = new HostTensor("uint8", [200_000], new Uint8Array(200_000));
  const outcomes = [() => Promise.reject(new RangeError("no")), () => Promise.resolve([big])];
  const { server, posted, settled } = served(slot, () => outcomes.shift()!());
  for (let i = 0; i < 2; i++) {
    ask(slot, 1);
    server.answer();
    await settled();
    expect(slot.takeAnswer()).toBeNull();
  }
  expect(posted).toMatchObject([
    { kind: "error", id: 7, error: { name: "RangeError" } },
    { kind: "result", id: 7, value: [{ shape: [200_000] }] },
  ]);
});

test("a worker looks for another run unless a message waits", async () => {
  const slot = new RunSlot();
  const answer = vi.spyOn(slot, "answer");
  const { server, settled } = served(slot, async () => []);
  server.countReceived();
  for (const posted of [1, 2]) {
    slot.countPosted();
    ask(slot, posted);
    server.answer();
    await settled();
  }
  expect(answer.mock.calls.map(([, , looks]) => looks)).toEqual([true, false]);
});
