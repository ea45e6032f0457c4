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
