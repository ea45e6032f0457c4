import { fromUrl } from "@pt2/format";
import { load, type Model, tensor } from "@pt2/runtime/node";
import { fixturePath } from "../fixture.ts";
import { type ModelServer, serveModel, type Trouble } from "../network/model-server.ts";
import { wideModel } from "../network/wide-model.ts";
import { type Activity, optionsOf, patient, type Setting } from "./activity.ts";

const PATH = fixturePath("torch-2.13/conv.pt2");

async function callAndDispose(model: Model): Promise<void> {
  await model.runFlat([tensor("float32", [2, 3, 19, 23], new Float32Array(2 * 3 * 19 * 23))]);
  await model.dispose();
}

/** Aborts a load some time after it began; a load that was done before is disposed. */
async function abortedAfter(milliseconds: number, begin: (signal: AbortSignal) => Promise<Model>): Promise<void> {
  const controller = new AbortController();
  const loading = begin(controller.signal);
  const timer = setTimeout(() => controller.abort(), milliseconds);
  const [model] = await Promise.allSettled([loading]);
  clearTimeout(timer);
  if (model.status === "fulfilled") await model.value.dispose();
}

type Step = (setting: Setting, i: number) => Promise<void>;

/** Makes an activity that begins and ends with each step. */
function passing(name: string, steps: Activity["steps"], step: Step): Activity {
  return {
    name,
    steps,
    begin: async (setting) => ({ step: (i) => step(setting, i), reserved: async () => 0, end: async () => {} }),
  };
}

/** Makes the same activity over HTTP: a file of 4.4 MB, which comes in several ranges. */
function overHttp(
  name: string,
  steps: Activity["steps"],
  trouble: (range: string, before: number) => Trouble | undefined,
  step: (setting: Setting, url: string, i: number) => Promise<void>,
): Activity {
  return {
    name,
    steps,
    async begin(setting) {
      const server: ModelServer = await serveModel(await wideModel(), { trouble });
      return {
        step: (i) => step(setting, server.url, i),
        reserved: async () => 0,
        end: async () => await server[Symbol.asyncDispose](),
      };
    },
  };
}

/** The weights begin in the first bytes of the file, which come with the first response. */
const isForWeights = (range: string): boolean => range.startsWith("bytes=65536-");

const wideInput = tensor("float32", [5, 7], new Float32Array(35));

/** The activities that begin with a file and end without a model. */
export const loads: readonly Activity[] = [
  passing("load and dispose", { short: 6, long: 300 }, async (setting) => {
    await callAndDispose(await load(PATH, { ...optionsOf(setting), signal: patient }));
  }),
  passing("load, checked", { long: 300 }, async (setting) => {
    await callAndDispose(await load(PATH, { ...optionsOf(setting), verifyChecksums: true }));
  }),
  // The abort comes at any time from at once until the load is likely to be over.
  passing("aborted load", { long: 300 }, (setting, i) =>
    abortedAfter(3 * (i % 16), (signal) => load(PATH, { ...optionsOf(setting), signal })),
  ),
  passing("failing load", { short: 20, long: 1000 }, async (setting) => {
    const failure = await load(PATH, { ...optionsOf(setting), model: "no such model", signal: patient }).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) throw new Error("it did not fail");
  }),
  // The activity covers threads, devices and caches that belong to a backend.
  passing("backend", { long: 100 }, async (setting) => {
    const { backend, close } = await setting.subject.create();
    await callAndDispose(await load(PATH, optionsOf({ ...setting, backend })));
    await close();
  }),
  overHttp(
    "load over HTTP",
    { long: 300 },
    // Every other download breaks off once.
    (range, before) => (isForWeights(range) && before % 2 === 0 ? { kind: "break", after: 1_000_000 } : undefined),
    async (setting, url) => {
      const source = await fromUrl(url, { retryDelay: 1, signal: patient });
      const model = await load(source, { ...optionsOf(setting), signal: patient });
      await model.runFlat([wideInput]);
      await model.dispose();
    },
  ),
  overHttp(
    "aborted over HTTP",
    { short: 12, long: 300 },
    (range) => (isForWeights(range) ? { kind: "stall", after: 1_000_000 } : undefined),
    (setting, url, i) => abortedAfter(5 * (i % 16), async (signal) => load(url, { ...optionsOf(setting), signal })),
  ),
];
