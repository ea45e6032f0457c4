import { floats, programOf, registryOf, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { ONE_THREAD } from "../threads/thread-count.ts";
import type { FromWorker, Method, Port, ToWorker } from "./protocol.ts";
import { serve } from "./serve.ts";
import { WorkerBackend } from "./worker-backend.ts";
import type { WorkerHandle } from "./worker-channel.ts";

const request = {
  program: programOf("user_input %x: f32[3]\n%y: f32[3] = aten::mul.Tensor(%x, other=2)\nreturn %y"),
  weights: weightsOf({}),
  registry: registryOf(),
};

/** Makes a worker that answers no calls but those of some methods. */
function silent(...answered: readonly Method[]) {
  const posted: ToWorker[] = [];
  let answer = (_: FromWorker): void => {};
  const start = (): WorkerHandle => ({
    reads: "file",
    post(message) {
      posted.push(message);
      if (message.kind !== "call" || !answered.includes(message.method)) return;
      queueMicrotask(() => answer({ kind: "result", id: message.id, value: undefined }));
    },
    listen: (receive) => (answer = receive),
    hold() {},
    terminate: async () => {},
  });
  return { posted, start };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("an abort ends a load at once whose worker does not answer, and the worker is told", async () => {
  const { posted, start } = silent();
  const backend = new WorkerBackend(start, ONE_THREAD);
  const abort = new AbortController();
  const reason = new Error("another model was chosen");
  const load = backend.compile({ ...request, signal: abort.signal });
  await nextTurn();
  abort.abort(reason);
  await expect(load).rejects.toBe(reason);
  const calls = posted.flatMap((message) => (message.kind === "call" ? [message] : []));
  expect(calls.map(({ method }) => method)).toEqual(["compile", "dispose"]);
  const { cancel } = calls[0]!.args as { readonly cancel: SharedArrayBuffer };
  expect(new Int32Array(cancel)[0]).toBe(1);
  await backend.dispose();
});

test("a backend is disposed whose worker does not answer, and the load ends with an error", async () => {
  const backend = new WorkerBackend(silent().start, ONE_THREAD);
  const load = expect(backend.compile(request)).rejects.toMatchObject({ code: "wasm.disposed" });
  await nextTurn();
  await backend.dispose();
  await load;
});

test("a backend that is disposed does not wait for runs that were aborted, or that are aborted then", async () => {
  for (const isFirst of [true, false]) {
    const backend = new WorkerBackend(silent("compile").start, ONE_THREAD);
    let closed = 0;
    const executable = await backend.compile({ ...request, onDispose: async () => void closed++ });
    const abort = new AbortController();
    const reason = new Error("stopped");
    let ended = false;
    const run = executable.run([floats([3], 1, 2, 3)], { signal: abort.signal }).finally(() => (ended = true));
    const outcome = expect(run).rejects.toBe(reason);
    // The worker has it from now on.
    await nextTurn();
    if (isFirst) abort.abort(reason);
    await nextTurn();
    expect(ended).toBe(false);
    const disposed = backend.dispose();
    await nextTurn();
    expect(ended).toBe(isFirst);
    abort.abort(reason);
    await outcome;
    await disposed;
    expect(closed).toBe(1);
  }
});

test("a worker frees a program that was given up while it was made", async () => {
  const posted: FromWorker[] = [];
  let send = (_: ToWorker): void => {};
  const port: Port<FromWorker, ToWorker> = {
    post: (message) => void posted.push(message),
    listen: (receive) => (send = receive),
  };
  serve(port, async () => {}, { start: ONE_THREAD.start });
  send({ kind: "threads", count: 1, why: null });
  const { program } = request;
  const args = { executable: 0, program, rules: null, weights: [], origins: new Map(), precision: "fast" } as const;
  send({ kind: "call", id: 1, method: "compile", args: { ...args, cancel: null } });
  send({ kind: "call", id: 2, method: "dispose", args: { executable: 0 } });
  await expect.poll(() => posted.flatMap((message) => ("id" in message ? [message.id] : []))).toEqual([1, 2]);
  send({ kind: "call", id: 3, method: "memory", args: { executable: 0 } });
  await expect.poll(() => posted.at(-1)).toMatchObject({ kind: "error", id: 3, error: { code: "wasm.disposed" } });
});
