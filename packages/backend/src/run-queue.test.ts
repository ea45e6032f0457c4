import { Pt2Error } from "@pt2/format";
import { expect, test } from "vitest";
import { RunQueue } from "./run-queue.ts";

const disposed = (): Pt2Error => new Pt2Error("toy.disposed", { what: "The model was disposed" });

/** Work that ends when it is told to. */
function gate(): { readonly work: () => Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { work: () => opened, open };
}

test("runs follow each other, also after one that failed", async () => {
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

test("a run that waits is aborted at once, and the next still waits for its turn", async () => {
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

test("a signal that cannot be listened to is asked when the turn comes", async () => {
  const stopped = {
    throwIfAborted() {
      throw new Error("stopped");
    },
  };
  await expect(new RunQueue(disposed).run(async () => "ran", stopped)).rejects.toThrow("stopped");
});

test("closing waits for runs under way and refuses more", async () => {
  const queue = new RunQueue(disposed);
  const { work, open } = gate();
  const under = queue.run(work);
  const closed = queue.close();
  await expect(queue.run(work)).rejects.toMatchObject({ code: "toy.disposed" });
  open();
  await Promise.all([under, closed]);
});
