import { expect, test, vi } from "vitest";

const { start } = vi.hoisted(() => ({ start: vi.fn() }));
vi.mock("./worker-main.ts", () => ({ start }));

test("an entry that is evaluated twice serves once, and keeps what is posted before it can", async () => {
  const addEventListener = vi.fn<(type: string, listener: (event: { data: unknown }) => void) => void>();
  vi.stubGlobal("addEventListener", addEventListener);
  // WebKit evaluates the entry of a worker again when a script imports it.
  const evaluate = (): Promise<unknown> => import("./worker.ts");
  await evaluate();
  vi.resetModules();
  await evaluate();
  expect(addEventListener).toHaveBeenCalledTimes(1);

  const [type, post] = addEventListener.mock.calls[0]!;
  expect(type).toBe("message");
  post({ data: "early" });
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
  const received: unknown[] = [];
  start.mock.calls[0]![1].listen((message: unknown) => received.push(message));
  post({ data: "late" });
  expect(received).toEqual(["early", "late"]);
  vi.unstubAllGlobals();
});
