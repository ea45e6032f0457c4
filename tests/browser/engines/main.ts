// A page that asks the server for tasks, does them, and sends what came of them: any engine can do that.
import { wasm } from "@pt2/backend-wasm";
import type { SuitePart } from "@pt2/conformance";
import { load, tensor } from "@pt2/runtime";
import { declaredTests } from "../declared-tests.ts";

const AWAIT_USING = "dispose: a backend at the end of `await using`";

/** The logits and the explanation of each run, and what the page offers. */
interface NetworkOutcome {
  readonly answers: readonly (readonly number[])[];
  readonly explained: readonly string[];
  readonly isolated: boolean;
  readonly shares: boolean;
}

/** What the page does, by name. */
const tasks = {
  /** Runs parts of the conformance suite on one backend. */
  async conformance(
    parts: readonly SuitePart[],
  ): Promise<{ readonly passed: number; readonly failed: readonly string[] }> {
    const { tests, finish } = await declaredTests("wasm", () => wasm(), {
      parts,
      skip: "asyncDispose" in Symbol ? {} : { [AWAIT_USING]: "the engine has no Symbol.asyncDispose" },
      tolerance: { float32: { rtol: 1e-4, atol: 1e-5 } },
    });
    const failed: string[] = [];
    let current = "";
    const report = setInterval(() => void post({ current }).catch(() => {}), 1000);
    for (const [name, run] of tests) {
      current = name;
      await run({ skip() {} }).catch((error: unknown) => failed.push(`${name}: ${error}`));
    }
    await finish();
    clearInterval(report);
    return { passed: tests.size - failed.length, failed };
  },

  /** Loads a network several times, and runs it with some numbers of threads. */
  async network(
    address: string,
    shape: readonly number[],
    pixels: readonly number[],
    threads: readonly number[],
  ): Promise<NetworkOutcome> {
    const answers: (readonly number[])[] = [];
    const explained: string[] = [];
    for (const count of threads) {
      const backend = wasm({ threads: count });
      for (let times = 0; times < 2; times++) {
        void post({ current: `load ${times} on ${count} threads` }).catch(() => {});
        const model = await load(address, { backend });
        void post({ current: `run ${times} on ${count} threads` }).catch(() => {});
        const logits = await model.forward<ReturnType<typeof tensor>>(tensor("float32", shape, pixels));
        answers.push(Array.from(await logits.read(), Number));
        explained.push((await model.explain()).split("\n")[0]!);
        await model.dispose();
      }
      void post({ current: `dispose of ${count} threads` }).catch(() => {});
      await backend.dispose();
    }
    return { answers, explained, isolated: crossOriginIsolated, shares: typeof SharedArrayBuffer !== "undefined" };
  },
};

/** The tasks, as the test sees them. */
export type Tasks = typeof tasks;

/** What the page tells the server. */
export type Told =
  /** It is there; the answer never comes, and WebKit closes the connection when the page's process ends (Firefox does not). */
  | { readonly there: true }
  /** What it is doing. */
  | { readonly current: string }
  /** What came of a task, at first null; the answer is the next one. */
  | { readonly outcome: Outcome | null };

/** What came of a task. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
}

function post(told: Told): Promise<Response> {
  return fetch("/task", { method: "POST", body: JSON.stringify(told) });
}

post({ there: true }).catch(() => {});
let outcome: Outcome | null = null;
for (;;) {
  const reply = await post({ outcome });
  const { name, args } = (await reply.json()) as { readonly name: keyof Tasks; readonly args: readonly never[] };
  try {
    outcome = { value: await (tasks[name] as (...args: readonly never[]) => Promise<unknown>)(...args) };
  } catch (error) {
    outcome = { error: error instanceof Error ? `${error}\n${error.stack}` : String(error) };
  }
}
