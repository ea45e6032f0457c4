import { afterEach, beforeEach, expect, test, vi } from "vitest";

const { start } = vi.hoisted(() => ({ start: vi.fn() }));
vi.mock("./worker-main.ts", () => ({ start }));

/** What the entry listens to, each with the one listener that may be there. */
const listeners = new Map<string, (event: object) => void>();

beforeEach(() => {
  listeners.clear();
  vi.resetModules();
  start.mockReset();
  delete (globalThis as { [key: symbol]: unknown })[Symbol.for("@pt2/backend-wasm worker")];
  vi.stubGlobal("addEventListener", (type: string, listener: (event: object) => void) => {
    expect(listeners.has(type)).toBe(false);
    listeners.set(type, listener);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("an entry that is evaluated twice serves once, and keeps what is posted before it can", async () => {
  // WebKit evaluates the entry of a worker again when a script imports it.
  const evaluate = (): Promise<unknown> => import("./worker.ts");
  await evaluate();
  vi.resetModules();
  await evaluate();

  const post = listeners.get("message")!;
  post({ data: "early" });
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
  const received: unknown[] = [];
  start.mock.calls[0]![1].listen((message: unknown) => received.push(message));
  post({ data: "late" });
  expect(received).toEqual(["early", "late"]);
});

test.each([
  ["a promise that no one handles", "unhandledrejection", { reason: new Error("lost") }, "lost"],
  ["a message that cannot be read", "messageerror", {}, "a message to the worker could not be read"],
])("%s is an error of the worker, and no answer that never comes", async (_, type, event, message) => {
  await import("./worker.ts");
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
  vi.useFakeTimers();
  listeners.get(type)!(event);
  expect(() => vi.runAllTimers()).toThrow(message);
});
