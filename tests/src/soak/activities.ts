import type { Backend } from "@pt2/backend";
import { type LoadOptions, load, type Model, tensor } from "@pt2/runtime/node";
import { fixturePath } from "../fixture.ts";

/** Something that a program does over and over. */
export interface Activity {
  readonly name: string;
  /** How often by the script, and in a test, where there is one. */
  readonly steps: { readonly long: number; readonly short?: number };
  /** Gets ready. */
  begin(backend: Backend, precision: LoadOptions["precision"]): Promise<Going>;
}

/** An activity under way. */
export interface Going {
  step(i: number): Promise<void>;
  /** Bytes that the model says it has reserved. */
  reserved(): Promise<number>;
  end(): Promise<void>;
}

const ids = (rows: number, columns: number, id = 3n): unknown =>
  tensor("int64", [rows, columns], new BigInt64Array(rows * columns).fill(id));

const state = (position = 1n): readonly unknown[] => [
  tensor("float32", [2, 2, 4], new Float32Array(16).fill(0.25)),
  tensor("int64", [2], BigInt64Array.of(position, 4n)),
];

type Step = (model: Model, i: number) => Promise<void>;

/** One model that is called again and again. */
function calls(name: string, fixture: string, steps: Activity["steps"], step: Step): Activity {
  return {
    name,
    steps,
    async begin(backend, precision) {
      const model = await load(fixturePath(`torch-2.13/${fixture}.pt2`), { backend, ...(precision && { precision }) });
      return {
        step: (i) => step(model, i),
        reserved: async () => (await model.memory()).reserved,
        end: () => model.dispose(),
      };
    },
  };
}

async function fails(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => "it did not fail",
    () => null,
  );
  if (outcome !== null) throw new Error(outcome);
}

/** Serves every run of the activity that aborts none of them. */
export const patient: AbortSignal = new AbortController().signal;

/** What must leave nothing behind, however often it is done. */
export const ACTIVITIES: readonly Activity[] = [
  // 64 kB of results each: 20,000 of them are 1.3 GB.
  calls("forward", "dynamic", { short: 300, long: 20_000 }, async (model) => {
    await model.runFlat([ids(32, 64)]);
  }),
  calls("forward, 1 signal", "mlp", { long: 20_000 }, async (model) => {
    const x = tensor("float32", [5, 7], new Float32Array(35));
    await model.runFlat([x], { signal: patient });
  }),
  calls("64 at once", "mlp", { long: 100 }, async (model) => {
    const x = tensor("float32", [5, 7], new Float32Array(35));
    await Promise.all(Array.from({ length: 64 }, () => model.runFlat([x], { signal: patient })));
  }),
  calls("shape", "dynamic", { short: 60, long: 2000 }, async (model, i) => {
    // All that the program takes, each once, in an order in which the largest come early.
    await model.runFlat([ids(1 + ((37 * i) % 64), 2 + ((53 * i) % 127))]);
  }),
  calls("abort", "dynamic", { short: 60, long: 2000 }, async (model, i) => {
    const controller = new AbortController();
    const runs = [model.runFlat([ids(32, 64)]), model.runFlat([ids(32, 64)], { signal: controller.signal })];
    // At once, while it waits, while it runs, or when it is over.
    for (let turn = 0; turn < i % 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await Promise.allSettled(runs);
  }),
  calls("failing forward", "dynamic", { short: 150, long: 5000 }, async (model) => {
    await fails(model.runFlat([ids(32, 64, 99n)]));
  }),
  calls("stateful forward", "buffers", { long: 5000 }, async (model, i) => {
    if (i % 5 === 4) await fails(model.runFlat(state(77n)));
    else await model.runFlat(state());
  }),
  calls("data-dependent", "datadep", { long: 2000 }, async (model, i) => {
    const x = Float32Array.from({ length: 12 }, (_, at) => ((i >> (at % 8)) & 1) - 0.5);
    await model.runFlat([tensor("float32", [4, 3], x)]);
  }),
  calls("profile", "mlp", { long: 2000 }, async (model) => {
    await model.profile({ args: [tensor("float32", [5, 7], new Float32Array(35))] });
  }),
  {
    name: "load and dispose",
    steps: { short: 6, long: 300 },
    begin: async (backend, precision) => ({
      async step() {
        const model = await load(fixturePath("torch-2.13/conv.pt2"), { backend, ...(precision && { precision }) });
        await model.runFlat([tensor("float32", [2, 3, 19, 23], new Float32Array(2 * 3 * 19 * 23))]);
        await model.dispose();
      },
      reserved: async () => 0,
      end: async () => {},
    }),
  },
  {
    name: "aborted load",
    steps: { long: 300 },
    begin: async (backend, precision) => ({
      async step(i) {
        const controller = new AbortController();
        const loading = load(fixturePath("torch-2.13/conv.pt2"), {
          backend,
          signal: controller.signal,
          ...(precision && { precision }),
        });
        // From at once until it is likely to be over.
        setTimeout(() => controller.abort(), 3 * (i % 16));
        const [model] = await Promise.allSettled([loading]);
        if (model.status === "fulfilled") await model.value.dispose();
      },
      reserved: async () => 0,
      end: async () => {},
    }),
  },
];
