import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("all callbacks of a signal share one listener, which is removed with the last callback", () => {
  const { signal } = new AbortController();
  const leave = Array.from({ length: 100 }, () => onAbort(signal, () => {}));
  expect(listeners(signal)).toBe(1);
  leave.pop()!();
  expect(listeners(signal)).toBe(1);
  for (const one of leave) one();
  expect(listeners(signal)).toBe(0);
});

test("an abort calls each callback once, and no callback that was unsubscribed", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  const leave = onAbort(controller.signal, () => calls.push("left"));
  onAbort(controller.signal, () => calls.push("first"));
  const both = (): void => void calls.push("twice");
  onAbort(controller.signal, both);
  const one = onAbort(controller.signal, both);
  leave();
  leave();
  controller.abort();
  one();
  expect(calls).toEqual(["first", "twice", "twice"]);
  expect(listeners(controller.signal)).toBe(0);
});

test("without a signal a callback is never called", () => {
  expect(() => onAbort(undefined, () => {})()).not.toThrow();
});
