import type { Storage } from "@pt2/format";
import { expect, test } from "vitest";
import { backendDisposed } from "../wasm-errors.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { RunSlot } from "./run-slot.ts";
import { SlotCaller } from "./slot-caller.ts";
import { WorkerChannel, type WorkerHandle } from "./worker-channel.ts";

/** Makes a worker whose answers and whose end come when the test says so. */
function handWorked() {
  const posted: ToWorker[] = [];
  const held: boolean[] = [];
  let answer = (_: FromWorker): void => {};
  let ended = (): void => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  let failed = (_: unknown): void => {};
  const worker: WorkerHandle = {
    reads: "file",
    post: (message) => void posted.push(message),
    listen: (receive, fail) => {
      answer = receive;
      failed = fail;
    },
    hold: (alive) => void held.push(alive),
    terminate: () => end,
  };
  const channel = new WorkerChannel(worker);
  return {
    channel,
    failed: (cause: unknown) => failed(cause),
    posted,
    held,
    answer: (message: FromWorker) => answer(message),
    ended: () => ended(),
  };
}

test("termination fails pending calls at once, and a pending answer comes too late", async () => {
  const { channel, posted, answer, ended } = handWorked();
  const call = channel.call("memory", { executable: 0 });
  expect(posted).toMatchObject([{ kind: "call", id: 0, method: "memory" }]);
  const terminated = channel.terminate(backendDisposed());
  answer({ kind: "result", id: 0, value: {} });
  await expect(call).rejects.toMatchObject({ code: "wasm.disposed" });
  await expect(channel.call("memory", { executable: 0 })).rejects.toMatchObject({ code: "wasm.disposed" });
  expect(posted).toHaveLength(1);
  ended();
  await terminated;
});

test("an answer that comes too late does not let the process end before the worker", async () => {
  const { channel, held, answer, ended } = handWorked();
  const call = channel.call("memory", { executable: 0 });
  const terminated = channel.terminate(backendDisposed());
  const before = held.length;
  answer({ kind: "result", id: 0, value: {} });
  expect(held.slice(before)).toEqual([]);
  await expect(call).rejects.toMatchObject({ code: "wasm.disposed" });
  ended();
  await terminated;
});

test("a run counts as computing until it is answered; a question about programs does not", async () => {
  const { channel, answer } = handWorked();
  const asked = channel.call("memory", { executable: 0 });
  expect(channel.computes).toBe(false);
  const run = channel.call("warmup", { executable: 0, inputs: [] });
  expect(channel.computes).toBe(true);
  answer({ kind: "result", id: 1, value: undefined });
  await run;
  expect(channel.computes).toBe(false);
  answer({ kind: "result", id: 0, value: {} });
  await asked;
});

test("a termination resolves when the worker has ended", async () => {
  const { channel, ended } = handWorked();
  let over = false;
  const terminated = channel.terminate(backendDisposed()).then(() => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve));
  expect(over).toBe(false);
  ended();
  await terminated;
});

test("an abort ends the reads of a load", async () => {
  const { channel, posted, answer } = handWorked();
  const abort = new AbortController();
  const asked: (AbortSignal | undefined)[] = [];
  const storage: Storage = {
    ...{ id: "w", nbytes: 4, entry: "w" },
    read: ({ into, signal } = {}) => {
      asked.push(signal);
      return Promise.resolve(into!);
    },
  };
  channel.executables.set(0, { storages: new Map([["w", storage]]), onProgress: undefined, signal: abort.signal });
  const ask = async (read: number): Promise<void> => {
    answer({ kind: "read-storage", read, executable: 0, storage: "w" });
    await new Promise((resolve) => setTimeout(resolve));
  };
  await ask(0);
  abort.abort();
  await ask(1);
  expect(posted.map(({ kind }) => kind)).toEqual(["storage", "storage-failed"]);
  expect(asked).toEqual([abort.signal]);
});

const RUN = { executable: 5, inputs: [1, null] };

/** A channel with a slot, whose calling thread looks for no answer: the last run took long. */
function withSlot() {
  const worked = handWorked();
  const slot = new RunSlot();
  worked.channel.openSlot(SlotCaller, slot);
  const long = worked.channel.run(RUN);
  expect(worked.posted.splice(0)).toEqual([{ kind: "slot", buffer: slot.buffer }, { kind: "look" }]);
  slot.take();
  slot.answer([], 1, true);
  worked.answer({ kind: "answered" });
  worked.held.length = 0;
  return { ...worked, slot, long };
}

test("a run goes through the slot where nothing else is under way, and as a message elsewhere", async () => {
  const { channel, posted, answer, slot, long } = withSlot();
  slot.workerLooks = false;
  expect(await long).toEqual([]);
  const first = channel.run(RUN);
  expect(posted).toEqual([{ kind: "look" }]);
  const { id, executable, values } = slot.take()!;
  expect([executable, values]).toEqual([5, [1, null]]);
  const second = channel.run(RUN);
  expect(posted).toMatchObject([{}, { kind: "call", method: "run", args: RUN }]);
  expect(slot.take()).toBeNull();
  slot.answer([id], 1, true);
  answer({ kind: "answered" });
  expect(await first).toEqual([id]);
  answer({ kind: "error", id: (posted[1] as { id: number }).id, error: { code: null, name: "Error", message: "no" } });
  await expect(second).rejects.toThrow("no");
});

test("a worker that looks is sent no message, and a message that comes too late changes nothing", async () => {
  const { channel, posted, held, answer, slot } = withSlot();
  const run = channel.run(RUN);
  slot.take();
  slot.answer([2], 1, false);
  for (let i = 0; i < 2; i++) answer({ kind: "answered" });
  expect(await run).toEqual([2]);
  expect([posted, held]).toEqual([[], [true, false]]);
});

test("a run in the slot ends with an error when the worker ends", async () => {
  const { channel, failed, slot } = withSlot();
  const run = channel.run(RUN);
  slot.take();
  failed(new Error("gone"));
  await expect(run).rejects.toMatchObject({ code: "wasm.worker-failed" });
  await expect(channel.run(RUN)).rejects.toMatchObject({ code: "wasm.worker-failed" });
});
