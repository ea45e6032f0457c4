// A page that does one thing over and over; `soak-readings.ts` counts what that leaves behind.
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { cached, clearCache } from "@pt2/format";
import { type Backend, load, type Model, type Tensor, tensor } from "@pt2/runtime";
import { countBuffers } from "./count-buffers.ts";

/** What computes. */
export type Subject = "wasm, worker" | "wasm, page" | "webgpu";

/** What the page offers to the tests. */
export interface Page {
  /** Gets ready for an activity. */
  begin(subject: Subject, activity: string): Promise<void>;
  /** Does it, from the `from`-th time until the `to`-th. */
  steps(from: number, to: number): Promise<void>;
  /** Bytes that the model says it has reserved, and buffers of GPUs that were made and not destroyed. */
  held(): Promise<{ readonly reserved: number; readonly buffers: number }>;
  end(): Promise<void>;
}

const DYNAMIC = "/fixtures/torch-2.13/dynamic.pt2";
const DIGITS = "/digits/digits.pt2";

/** Serves every step that aborts nothing: what waits with it must leave it. */
const patient = new AbortController().signal;

const MAKE: Readonly<Record<Subject, () => Promise<Backend>>> = {
  "wasm, worker": async () => wasm(),
  "wasm, page": async () => wasm({ worker: false }),
  webgpu: () => webgpu(),
};

const ids = (rows: number, columns: number): Tensor =>
  tensor("int64", [rows, columns], new BigInt64Array(rows * columns).fill(3n));

/** Once: a browser that is looked into keeps what was downloaded. */
const digits = fetch(DIGITS).then((response) => response.blob());

const turn = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Going {
  readonly model?: Model;
  step(i: number): Promise<void>;
}

type Begin = (backend: Backend, make: () => Promise<Backend>) => Promise<Going>;

/** One model that is called again and again. */
function calls(step: (model: Model, i: number) => Promise<unknown>): Begin {
  return async (backend) => {
    const model = await load(DYNAMIC, { backend });
    return { model, step: async (i) => void (await step(model, i)) };
  };
}

function loads(step: (backend: Backend, i: number, make: () => Promise<Backend>) => Promise<void>): Begin {
  return async (backend, make) => ({ step: (i) => step(backend, i, make) });
}

async function classify(model: Model): Promise<void> {
  const logits = await model.forward({ image: tensor("float32", [1, 1, 8, 8], new Float32Array(64)) });
  await logits.read();
  await model.dispose();
}

const ACTIVITIES: Readonly<Record<string, Begin>> = {
  // 64 kB of results each.
  forward: calls((model) => model.runFlat([ids(32, 64)], { signal: patient })),
  shape: calls((model, i) => model.runFlat([ids(1 + ((37 * i) % 64), 2 + ((53 * i) % 127))])),
  abort: calls(async (model, i) => {
    const controller = new AbortController();
    const runs = [model.runFlat([ids(32, 64)]), model.runFlat([ids(32, 64)], { signal: controller.signal })];
    // At once, while it waits, while it runs, or when it is over.
    for (let turns = 0; turns < i % 4; turns++) await turn();
    controller.abort();
    await Promise.allSettled(runs);
  }),
  profile: calls((model) => model.profile({ args: [ids(4, 8)] }, { signal: patient })),
  "load and dispose": loads(async (backend) => classify(await load(await digits, { backend, signal: patient }))),
  "load over HTTP": loads(async (backend) => classify(await load(DIGITS, { backend, signal: patient }))),
  "aborted load": loads(async (backend, i) => {
    const controller = new AbortController();
    const loading = load(await digits, { backend, signal: controller.signal });
    await turn(4 * (i % 16));
    controller.abort();
    const [outcome] = await Promise.allSettled([loading]);
    if (outcome.status === "fulfilled") await outcome.value.dispose();
  }),
  // Threads and devices that belong to a backend.
  backend: loads(async (_, __, make) => {
    const another = await make();
    await classify(await load(await digits, { backend: another }));
    await another.dispose();
  }),
  // Read over the network, from the cache, and after it was emptied.
  cache: loads(async (backend, i) => {
    await classify(await load(await cached(DIGITS, { signal: patient }), { backend, signal: patient }));
    if (i % 3 === 2) await clearCache();
  }),
};

let backend: Backend;
let going: Going;
const buffers = countBuffers();

globalThis.soak = {
  async begin(subject, activity) {
    backend = await MAKE[subject]();
    going = await ACTIVITIES[activity]!(backend, MAKE[subject]);
  },
  async steps(from, to) {
    for (let i = from; i < to; i++) await going.step(i);
  },
  async held() {
    return { reserved: (await going.model?.memory())?.reserved ?? 0, buffers: buffers() };
  },
  async end() {
    await going.model?.dispose();
    await backend.dispose();
  },
};

declare global {
  var soak: Page;
}
