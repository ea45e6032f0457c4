import type { Executable, TraceEvent, Value } from "@pt2/backend";
import { expect, it, vi } from "vitest";
import { idleBackend, loadFixture } from "./fixtures.test-helper.ts";
import { type Tensor, tensor } from "./node.ts";

const EVENT: TraceEvent = { node: "linear", op: "aten::linear", where: "linear", outputs: [] };
const x = tensor("float32", [5, 7], new Float32Array(35));
const wrong = tensor("float32", [2, 5], new Float32Array(10));

function backendWith(parts: Partial<Executable>): ReturnType<typeof idleBackend> {
  const idle = idleBackend();
  return { ...idle, compile: async (request) => ({ ...(await idle.compile(request)), ...parts }) };
}

const able = backendWith({
  runSync: (inputs: readonly Value[]) => inputs,
  trace: async (inputs, observe) => {
    await observe(EVENT);
    return inputs;
  },
});

it("runSync and forwardSync have the same inputs, results and checks as run and forward", async () => {
  const model = await loadFixture("torch-2.13/mlp", { backend: able });
  expect(model.forwardSync!<Tensor>(x)).toBe(await model.forward(x));
  expect(model.forwardSync!<Tensor>({ x })).toBe(x);
  expect(model.runSync!<Tensor>({ leaves: [x] })).toBe(x);
  expect(() => model.forwardSync!(wrong)).toThrow(expect.objectContaining({ code: "graph.input-shape" }));
  expect(() => model.forwardSync!()).toThrow(expect.objectContaining({ code: "runtime.input-missing" }));
  const events: TraceEvent[] = [];
  expect(await model.trace!({ args: [x] }, (event) => void events.push(event))).toBe(x);
  expect(events).toEqual([EVENT]);
  await model.dispose();
  expect(() => model.forwardSync!(x)).toThrow(expect.objectContaining({ code: "runtime.disposed" }));
  await expect(model.trace!({ args: [x] }, () => {})).rejects.toMatchObject({ code: "runtime.disposed" });
});

it("runSync and forwardSync are absent where the backend cannot run synchronously", async () => {
  await using model = await loadFixture("torch-2.13/mlp");
  expect([model.forwardSync, model.runSync, model.trace]).toEqual([undefined, undefined, undefined]);
});

it("load says once for each backend why a program computes on the calling thread", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const moved = {
    ...backendWith({ onCallingThread: "It has a handler." }),
    capabilities: { ...able.capabilities, offThread: true },
  };
  for (let i = 0; i < 3; i++) {
    await using model = await loadFixture("torch-2.13/mlp", { backend: moved });
    expect(model.offThread).toBe(false);
  }
  expect(warn.mock.calls).toEqual([["It has a handler."]]);
  const given: string[] = [];
  await using _ = await loadFixture("torch-2.13/mlp", { backend: moved, onWarning: (message) => given.push(message) });
  await using free = await loadFixture("torch-2.13/mlp", { backend: { ...able, capabilities: moved.capabilities } });
  expect([given, warn.mock.calls.length, free.offThread]).toEqual([["It has a handler."], 1, true]);
  warn.mockRestore();
});
