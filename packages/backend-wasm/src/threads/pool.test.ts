import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { kernelsBase64 } from "../kernels-plain.gen.ts";
import { startHelper } from "../worker/node-thread.ts";
import { threadNumber } from "../worker/processors-node.ts";
import { type Board, boardOf, WORD } from "./board.ts";
import type { StartHelper } from "./helper-messages.ts";
import { Pool } from "./pool.ts";
import { withSharedMemory } from "./shared-import.ts";
import { SharedTeam } from "./shared-team.ts";
import { divide } from "./team.ts";

const ITEMS = 64;
const code = new WebAssembly.Module(withSharedMemory(Buffer.from(kernelsBase64, "base64")));
const pools: Pool[] = [];

afterEach(() => {
  for (const pool of pools.splice(0)) pool.stop();
});

/** A step of a model of its own that adds up rows: its result, and how many parts the calling thread computed. */
function rowSums(
  start: StartHelper,
  count = 3,
  newRuns?: ConstructorParameters<typeof SharedTeam>[2],
  caller?: number,
) {
  const pool = new Pool({ count, why: null, start, caller, shortest: Number.MIN_VALUE });
  pools.push(pool);
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536, shared: true });
  const team = new SharedTeam(pool, memory, newRuns);
  const { exports } = new WebAssembly.Instance(code, { env: { memory } });
  const run = exports["sumRows"] as (...args: number[]) => void;
  let own = 0;
  const sumRows = team.shared(code, "sumRows", (...args: number[]) => {
    own++;
    run(...args);
  });
  const [from, to, n] = [65536, 8 * 65536, 256];
  const input = new Float32Array(memory.buffer, from, ITEMS * n).map((_, i) => i % 7);
  new Float32Array(memory.buffer, from, ITEMS * n).set(input);
  const parts = team.parts({ items: ITEMS, nanoseconds: 1 });
  const step = team.step(parts, ({ start, count }) => sumRows(from + 4 * n * start, to + 4 * start, count, n, 1));
  const expected = Array.from({ length: ITEMS }, (_, i) => input.slice(i * n, (i + 1) * n).reduce((a, b) => a + b, 0));
  const once = (): { readonly sums: readonly number[]; readonly own: number } => {
    own = 0;
    new Float32Array(memory.buffer, to, ITEMS).fill(Number.NaN);
    step();
    return { sums: [...new Float32Array(memory.buffer, to, ITEMS)], own };
  };
  return { pool, team, parts, once, expected, sumRows };
}

test("helpers take parts of a step, and every run gives the result of one thread", async () => {
  const { once, expected, parts } = rowSums(startHelper);
  let helped = 0;
  for (let run = 0; helped < 100; run++) {
    const { sums, own } = once();
    expect(sums).toEqual(expected);
    if (own < parts.length) helped++;
    // The helpers start meanwhile; and they sleep in between, and wake.
    if (run % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
});

test("a run after a rest can be computed alone, and those that follow at once are not", async () => {
  const took: number[] = [];
  const runs = { next: "alone", took: (ms: number) => void took.push(ms) } as const;
  const { team, once, expected, parts } = rowSums(startHelper, 3, () => runs);
  const plan = {};
  const ownOf = (): number => {
    let own = 0;
    team.begin(plan);
    team.run(() => {
      const result = once();
      expect(result.sums).toEqual(expected);
      own = result.own;
    });
    return own;
  };
  for (let helped = false; !helped; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ownOf()).toBe(parts.length);
    for (let run = 0; run < 100; run++) helped ||= ownOf() < parts.length;
  }
  expect(took[0]).toBeGreaterThan(0);
});

test("after a rest helpers are called anew, and one is there more than compute where they can tell processors", async () => {
  let started = 0;
  const start: StartHelper = (...given) => {
    started++;
    return startHelper(...given);
  };
  const { team, once, expected, parts } = rowSums(start, 3, () => ({ next: "together", took() {} }), threadNumber());
  for (let [run, helped] = [0, 0]; helped < 20; run++) {
    if (run === 2) expect(started).toBe(2);
    team.begin(once);
    team.run(() => {
      let [step, own] = [0, parts.length];
      for (; own === parts.length && step < 1000; step++) {
        const result = once();
        expect(result.sums).toEqual(expected);
        own = result.own;
      }
      if (own < parts.length) helped++;
    });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(started).toBe(threadNumber() === undefined ? 2 : 3);
});

test("helpers are called as a plan begins that handed out steps before, and not for one that never did", async () => {
  const boards: Board[] = [];
  const { team, once } = rowSums((buffer) => {
    boards.push(boardOf(buffer));
    return { post() {}, terminate() {} };
  });
  const calls = (): number => boards[0]!.words[WORD.call]!;
  const [dividing, other] = [{}, {}];
  const callsOf = async (plan: object): Promise<readonly [begun: number, run: number]> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const before = calls();
    team.begin(plan);
    const begun = calls();
    team.run(plan === dividing ? once : () => {});
    return [begun - before, calls() - begun];
  };
  await callsOf(other);
  await callsOf(dividing);
  expect(await callsOf(other)).toEqual([0, 0]);
  expect(await callsOf(dividing)).toEqual([1, 0]);
  expect(await callsOf(dividing)).toEqual([1, 0]);
});

test("models share the helpers, in a memory each", async () => {
  const first = rowSums(startHelper, 2);
  const second = new SharedTeam(first.pool, new WebAssembly.Memory({ initial: 16, maximum: 65536, shared: true }));
  second.release();
  for (let helped = 0; helped < 10; ) {
    const { sums, own } = first.once();
    expect(sums).toEqual(first.expected);
    if (own < first.parts.length) helped++;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
});

test("an error in a part is thrown where the step is run, and the next run is as before", () => {
  const { team, once, expected } = rowSums(startHelper);
  const parts = team.parts({ items: ITEMS, nanoseconds: 1 });
  const fail = team.shared(code, "sumRows", () => {
    throw new WebAssembly.RuntimeError("memory access out of bounds");
  });
  expect(team.step(parts, () => fail())).toThrow(new WebAssembly.RuntimeError("memory access out of bounds"));
  expect(once().sums).toEqual(expected);
});

/** A helper that takes a part and ends in the middle of it. */
const startEnding: StartHelper = (board) => {
  const [boards, loader] = [new URL("./board.ts", import.meta.url).href, import.meta.resolve("tsx/esm/api")];
  const script = `
    import { workerData } from "node:worker_threads";
    import { register } from ${JSON.stringify(loader)};
    register();
    const { boardOf, endHelper, takePart, WORD } = await import(${JSON.stringify(boards)});
    const board = boardOf(workerData);
    process.on("exit", () => endHelper(board, 0));
    for (;;) {
      const open = Atomics.load(board.words, WORD.open);
      Atomics.store(board.words, WORD.busy, 1);
      if ((open & 0xff) > 0) takePart(board, open, 1, () => { process.exit(); });
    }`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    workerData: board,
    execArgv: ["--conditions=dev"],
  });
  thread.unref();
  return { post() {}, terminate: () => void thread.terminate() };
};

test("a helper that ends in the middle of a part is an error of that run, and not of those that follow", async () => {
  const { once, expected } = rowSums(startEnding, 2);
  let error: unknown = null;
  while (error === null) {
    try {
      expect(once().sums).toEqual(expected);
    } catch (thrown) {
      error = thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(error).toMatchObject({ code: "wasm.thread-ended" });
  expect(once().sums).toEqual(expected);
});

test("a platform that starts no threads computes alone, and says why", () => {
  const { once, expected, pool, parts } = rowSums(() => {
    throw new Error("threads are forbidden");
  });
  expect(once()).toEqual({ sums: expected, own: parts.length });
  expect(pool.failure).toContain("threads are forbidden");
});

test.each([
  [{ items: 7, nanoseconds: 1e9 }, 2, [2, 2, 1, 2]],
  [{ items: 100, unit: 8, nanoseconds: 1e9 }, 2, [24, 24, 24, 28]],
  [{ items: 20, unit: 4, least: 8, nanoseconds: 1e9 }, 2, [12, 8]],
  [{ items: 3, unit: 4, nanoseconds: 1e9 }, 5, [3]],
  [{ items: 1000, nanoseconds: 100 }, 5, [1000]],
  [{ items: 0, nanoseconds: 0 }, 5, [0]],
])("%j for %i threads are parts of %j", (division, threads, counts) => {
  const parts = divide(division, threads);
  expect(parts.map(({ count }) => count)).toEqual(counts);
  expect(parts.map(({ start }) => start)).toEqual(counts.map((_, i) => counts.slice(0, i).reduce((a, b) => a + b, 0)));
});
