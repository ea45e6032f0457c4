import { hostTensor } from "@pt2/backend";
import { load, type Model, type Tensor, tensor } from "@pt2/runtime/node";
import { fixturePath } from "../fixture.ts";
import { type Activity, optionsOf, patient, type Setting } from "./activity.ts";

const ids = (rows: number, columns: number, id = 3n): unknown =>
  tensor("int64", [rows, columns], new BigInt64Array(rows * columns).fill(id));

const state = (position = 1n): readonly unknown[] => [
  tensor("float32", [2, 2, 4], new Float32Array(16).fill(0.25)),
  tensor("int64", [2], BigInt64Array.of(position, 4n)),
];

type Step = (model: Model, i: number, setting: Setting) => Promise<void>;

/** Makes an activity that calls one model repeatedly. */
function called(name: string, fixture: string, steps: Activity["steps"], step: Step, only = ""): Activity {
  return {
    name,
    steps,
    only,
    async begin(setting) {
      const model = await load(fixturePath(`torch-2.13/${fixture}.pt2`), optionsOf(setting));
      return {
        step: (i) => step(model, i, setting),
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

const mlpInput = (): Tensor => tensor("float32", [5, 7], new Float32Array(35));

/** The activities with one loaded model. */
export const calls: readonly Activity[] = [
  // Each has 64 kB of results: 20,000 of them are 1.3 GB.
  called("forward", "dynamic", { short: 300, long: 20_000 }, async (model) => {
    await model.runFlat([ids(32, 64)]);
  }),
  called("forward, 1 signal", "mlp", { long: 20_000 }, async (model) => {
    await model.runFlat([mlpInput()], { signal: patient });
  }),
  called("64 at once", "mlp", { long: 100 }, async (model) => {
    const x = mlpInput();
    await Promise.all(Array.from({ length: 64 }, () => model.runFlat([x], { signal: patient })));
  }),
  called("shape", "dynamic", { short: 60, long: 2000 }, async (model, i) => {
    // The sizes are all that the program takes, each once, in an order in which the largest come early.
    await model.runFlat([ids(1 + ((37 * i) % 64), 2 + ((53 * i) % 127))]);
  }),
  called("abort", "dynamic", { short: 60, long: 2000 }, async (model, i) => {
    const controller = new AbortController();
    const runs = [model.runFlat([ids(32, 64)]), model.runFlat([ids(32, 64)], { signal: controller.signal })];
    // The abort comes at once, while the run waits, while it runs, or when it is over.
    for (let turn = 0; turn < i % 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await Promise.allSettled(runs);
  }),
  called("failing forward", "dynamic", { short: 150, long: 5000 }, async (model) => {
    await fails(model.runFlat([ids(32, 64, 99n)]));
  }),
  called("stateful forward", "buffers", { long: 5000 }, async (model, i) => {
    if (i % 5 === 4) await fails(model.runFlat(state(77n)));
    else await model.runFlat(state());
  }),
  called("data-dependent", "datadep", { long: 2000 }, async (model, i) => {
    const x = Float32Array.from({ length: 12 }, (_, at) => ((i >> (at % 8)) & 1) - 0.5);
    await model.runFlat([tensor("float32", [4, 3], x)]);
  }),
  called("profile", "mlp", { long: 2000 }, async (model) => {
    await model.profile({ args: [mlpInput()] }, { signal: patient });
  }),
  called("warmup", "dynamic", { long: 500 }, async (model, i) => {
    await model.warmup({ args: [ids(1 + (i % 64), 2 + (i % 127))] }, { signal: patient });
  }),
  called(
    "trace",
    "mlp",
    { short: 60, long: 2000 },
    async (model, i) => {
      const enough = new Error("enough");
      // One in four ends in the middle.
      const observe = async (): Promise<void> => {
        if (i % 4 === 3) throw enough;
      };
      const traced = model.trace!({ args: [mlpInput()] }, observe, { signal: patient });
      await (i % 4 === 3 ? fails(traced) : traced);
    },
    "libtorch",
  ),
  ...["webgpu", "libtorch"].map((only) =>
    called(
      "tensors on the device",
      "mlp",
      { short: 60, long: 2000 },
      async (model, _, { backend }) => {
        const x = await backend.upload!(hostTensor("float32", [5, 7], new Float32Array(35)));
        for (const y of await model.runFlat([x])) (y as Tensor).dispose();
        x.dispose();
      },
      only,
    ),
  ),
];
