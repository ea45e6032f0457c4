import { getEventListeners } from "node:events";
import { Pt2Error } from "@pt2/format";
import { expect, test } from "vitest";
import { watchGarbage } from "./garbage.test-helper.ts";
import { RunQueue } from "./run-queue.ts";

const disposed = (): Pt2Error => new Pt2Error("toy.disposed", { what: "The model was disposed" });

/** Returns asynchronous work that ends when `open` is called. */
function gate(): { readonly work: () => Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { work: () => opened, open };
}

test("a queue runs one run after the other, also after one that failed", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  const order: string[] = [];
  const first = queue.run(async () => {
    await work();
    order.push("first");
    throw new Error("no");
  });
  const second = queue.run(async () => void order.push("second"));
  open();
  await expect(first).rejects.toThrow("no");
  await second;
  expect(order).toEqual(["first", "second"]);
});

test("a waiting run is aborted at once, and the next run still waits for the first", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  let over = false;
  const first = queue.run(work).then(() => {
    over = true;
  });
  const controller = new AbortController();
  const second = queue.run(async () => "ran", controller.signal);
  const third = queue.run(async () => over);
  controller.abort(new Error("never mind"));
  await expect(second).rejects.toThrow("never mind");
  expect(over).toBe(false);
  open();
  await first;
  expect(await third).toBe(true);
});

test("a signal without events is checked before its run starts", async () => {
  const stopped = {
    throwIfAborted() {
      throw new Error("stopped");
    },
  };
  await expect(new RunQueue(disposed).run(async () => "ran", stopped)).rejects.toThrow("stopped");
});

test("close waits for runs under way and refuses new ones", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  const under = queue.run(work);
  const closed = queue.close();
  await expect(queue.run(work)).rejects.toMatchObject({ code: "toy.disposed" });
  open();
  await Promise.all([under, closed]);
});

test("a queue references neither results nor errors nor inputs of runs that have ended", async () => {
  const queue = new RunQueue(disposed);
  const { watch, alive } = watchGarbage();
  const signal = new AbortController().signal;
  for (let i = 0; i < 100; i++) {
    const given = watch(new Float32Array(64));
    await queue.run(async () => watch(given.slice()), signal);
    await queue.run(() => Promise.reject(watch(new Error(`${given.length}`)))).catch(() => {});
  }
  expect(await alive()).toBe(0);
  expect(await queue.run(async () => "it still runs")).toBe("it still runs");
});

test("a queue does not reference aborted runs while an earlier run continues", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  const under = queue.run(work);
  const { watch, alive } = watchGarbage();
  for (let i = 0; i < 100; i++) {
    const given = watch(new Float32Array(64));
    const controller = new AbortController();
    const waiting = queue.run(async () => given, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow("aborted");
  }
  expect(await alive()).toBe(0);
  open();
  await under;
});

test("a signal of many runs has one listener while they wait, and none after they have ended", async () => {
  const queue = new RunQueue(disposed);
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, "abort").length;
  const runs = Array.from({ length: 50 }, (_, i) => queue.run(async () => i, signal));
  expect(listeners()).toBe(1);
  await Promise.all(runs);
  expect(listeners()).toBe(0);
});

test("waiting runs keep their order if others between them are aborted", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  const order: number[] = [];
  const never = new AbortController();
  const runs = [queue.run(work)];
  for (let i = 0; i < 100; i++) {
    if (i % 3 === 0) queue.run(async () => void order.push(-1), never.signal).catch(() => {});
    runs.push(queue.run(async () => void order.push(i)));
  }
  never.abort();
  const closed = queue.close();
  open();
  await Promise.all([...runs, closed]);
  expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i));
});
