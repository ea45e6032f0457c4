import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { unlessAborted } from "./unless-aborted.ts";

test("work that ends before the abort resolves to its value and leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
  expect(await unlessAborted(Promise.resolve(8), undefined)).toBe(8);
  await expect(unlessAborted(Promise.reject(new Error("work")), signal)).rejects.toThrow("work");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an abort rejects with the signal's reason, whatever the work does later", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  let fail = (_: Error): void => {};
  const later = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const waiting = Array.from({ length: 50 }, () => unlessAborted(later, controller.signal));
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  controller.abort(reason);
  for (const each of waiting) await expect(each).rejects.toBe(reason);
  // A signal that has aborted before is never listened to.
  await expect(unlessAborted(later, controller.signal)).rejects.toBe(reason);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  fail(new Error("nothing waits for this, and it is not an unhandled rejection"));
});
