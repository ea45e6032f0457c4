import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { framesOf } from "./frames.ts";

it("a camera of thousands of pictures leaves nothing at its signal", async () => {
  const { signal } = new AbortController();
  async function* camera() {
    for (let i = 0; i < 3000; i++) yield i;
  }
  const frames = await framesOf(camera(), signal);
  let seen = 0;
  while ((await frames.next()) !== null) seen++;
  await frames.close();
  expect([seen, getEventListeners(signal, "abort").length]).toEqual([3000, 0]);
});

it("a stream of frames is read to its end, and canceled as soon as its signal is aborted", async () => {
  const stop = new AbortController();
  const closed: number[] = [];
  const frame = (number: number) => ({ number, close: () => void closed.push(number) });
  let given = 0;
  let canceled = false;
  const source = {
    pull: (controller: ReadableStreamDefaultController<ReturnType<typeof frame>>) => {
      if (given < 3) controller.enqueue(frame(given++));
    },
    cancel: () => {
      canceled = true;
    },
  };
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  const frames = await framesOf(stream, stop.signal);
  for (let i = 0; i < 3; i++) {
    const next = await frames.next();
    expect(next?.number).toBe(i);
    frames.free(next!);
  }
  // The fourth never comes.
  const waiting = frames.next();
  stop.abort();
  expect(await waiting).toBeNull();
  await frames.close();
  await expect.poll(() => canceled).toBe(true);
  expect(closed).toEqual([0, 1, 2]);
});

it("values that give no pictures are refused", async () => {
  const { signal } = new AbortController();
  for (const camera of [null, "street.mp4", { data: new Uint8Array(3), width: 1, height: 1 }, 5]) {
    await expect(framesOf(camera as never, signal)).rejects.toMatchObject({ code: "vision.camera" });
  }
});
