import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Backend } from "@pt2/backend";
import { HostTensor } from "@pt2/backend";
import { openSafetensors, Pt2Error, readTensor } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { openProgram } from "@pt2/runtime/node";
import {
  adadelta,
  adagrad,
  adam,
  adamW,
  cosine,
  createTrainer,
  rmsprop,
  sgd,
  type Trainer,
  type TrainerOptions,
} from "@pt2/train";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { missingPython, python } from "./python.ts";

type Way = Omit<TrainerOptions, "backend">;

/** The ways of training in `scripts/python/train_steps.py`. */
const WAYS: Readonly<Record<string, Way>> = {
  adamw: { optimizer: adamW({ lr: 1e-3, weightDecay: 0.01 }) },
  adam: { optimizer: adam({ lr: 2e-3, betas: [0.8, 0.99], weightDecay: 0.1, amsgrad: true }) },
  sgd: { optimizer: sgd({ lr: 1e-2, momentum: 0.9, nesterov: true, weightDecay: 1e-3 }) },
  dampened: { optimizer: sgd({ lr: 1e-2, momentum: 0.9, dampening: 0.2 }) },
  adagrad: { optimizer: adagrad({ lr: 1e-2, lrDecay: 0.01, weightDecay: 1e-3, initialAccumulatorValue: 0.1 }) },
  adadelta: { optimizer: adadelta({ lr: 0.5, rho: 0.8, eps: 1e-4, weightDecay: 1e-3 }) },
  rmsprop: { optimizer: rmsprop({ lr: 1e-3, alpha: 0.9, momentum: 0.5, centered: true, weightDecay: 1e-3 }) },
  clipped: {
    optimizer: adamW({ lr: 1e-3 }),
    groups: [{ match: (name) => name.endsWith(".bias"), lr: 3e-3, weightDecay: 0 }],
    schedule: cosine({ steps: 25 }),
    clipNorm: 0.5,
    accumulate: 4,
  },
  limited: { optimizer: sgd({ lr: 1e-1, momentum: 0.9 }), clipNorm: 0.5, clipValue: 0.01 },
  "rising adamw": { optimizer: adamW({ lr: 1e-4, weightDecay: 0.01, maximize: true }) },
  "rising adam": { optimizer: adam({ lr: 1e-4, weightDecay: 0.1, amsgrad: true, maximize: true }) },
  "rising sgd": { optimizer: sgd({ lr: 1e-3, momentum: 0.9, nesterov: true, weightDecay: 1e-3, maximize: true }) },
  "rising adagrad": { optimizer: adagrad({ lr: 1e-3, weightDecay: 1e-3, maximize: true }) },
  "rising rmsprop": { optimizer: rmsprop({ lr: 1e-4, momentum: 0.5, weightDecay: 1e-3, maximize: true }) },
};

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const backends = await testedBackends();

describe.skipIf(python === undefined)(`trainers follow PyTorch's optimizers${missingPython}`, () => {
  let folder = "";
  let batches: readonly (readonly HostTensor[])[] = [];
  const inPython = (...args: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync(python!, ["-W", "ignore", ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr.slice(-2000));
    return stdout.trim();
  };
  const tensorsOf = async (name: string): Promise<ReadonlyMap<string, HostTensor>> => {
    const found = new Map<string, HostTensor>();
    const file = await fromFile(join(folder, `${name}.safetensors`));
    for (const [key, weight] of await openSafetensors(file)) {
      const { dtype, shape, bytes } = await readTensor(weight);
      found.set(key, new HostTensor(dtype, shape, bytes));
    }
    await file.close?.();
    return found;
  };
  const trainerOf = async (backend: Backend, way: Way): Promise<Trainer> =>
    await createTrainer(await openProgram(join(folder, "digits.pt2")), { of: 0, ...way, backend });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-trainer-"));
    inPython(fileURLToPath(new URL("../../scripts/python/train_steps.py", import.meta.url)), folder);
    const all = await tensorsOf("batches");
    const count = all.size / 2;
    batches = Array.from({ length: count }, (_, i) => [all.get(`${i}.0`)!, all.get(`${i}.1`)!]);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true }));

  for (const { name: backendName, missing, create } of backends) {
    if (backendName === "libtorch, fast") continue;
    describe.skipIf(missing !== null)(`${backendName}${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
      let backend: Backend;
      beforeAll(async () => {
        backend = await create();
      });

      it.each(Object.keys(WAYS))("%s: losses and parameters are PyTorch's over 100 batches", async (name) => {
        const expected = await tensorsOf(name);
        await using trainer = await trainerOf(backend, WAYS[name]!);
        const losses: number[] = [];
        for await (const { loss } of trainer.fit(batches)) losses.push(loss);
        const right = Array.from(expected.get("losses")!.data as Float32Array);
        // Sums in another order are amplified from step to step on a GPU.
        const tolerance = backendName === "webgpu" ? 1e-3 : 1e-4;
        expect(worst(losses, right)).toBeLessThan(tolerance);
        const weights = await trainer.weights();
        for (const key of trainer.parameters) {
          const found = Array.from(weights.get(key)!.data as Float32Array);
          expect(worst(found, Array.from(expected.get(key)!.data as Float32Array)), key).toBeLessThan(tolerance);
        }
      });

      it("a checkpoint resumes to the same numbers", async () => {
        const way = WAYS.clipped!;
        await using whole = await trainerOf(backend, way);
        const losses: number[] = [];
        let checkpoint: Uint8Array | undefined;
        for await (const { loss } of whole.fit(batches.slice(0, 20))) {
          losses.push(loss);
          if (losses.length === 10) checkpoint = await whole.checkpoint();
        }
        await using resumed = await trainerOf(backend, { ...way, checkpoint: checkpoint! });
        expect(resumed.step).toBe(2);
        const again: number[] = [];
        for await (const { loss } of resumed.fit(batches.slice(10, 20))) again.push(loss);
        expect(again).toEqual(losses.slice(10));
      });

      it("what was trained predicts here and in Python as it did in training", async () => {
        await using trainer = await trainerOf(backend, WAYS.adamw!);
        for await (const _ of trainer.fit(batches.slice(0, 10)));
        await using model = await trainer.model();
        const [loss] = (await model.runFlat(batches[0]!)) as readonly HostTensor[];
        const here = Number(((await loss!.read()) as Float32Array)[0]);
        const file = join(folder, `${backendName.replaceAll(/\W/g, "")}.pt2`);
        await writeFile(file, await trainer.save());
        const script = `
import sys, torch
from safetensors.torch import load_file
batches = load_file(sys.argv[2])
print(torch.export.load(sys.argv[1]).module()(batches["0.0"], batches["0.1"])[0].item())
`;
        const inTorch = Number(inPython("-c", script, file, join(folder, "batches.safetensors")));
        expect(Math.abs(here - inTorch)).toBeLessThan(1e-4);
      });

      it("adapters are trained alone, and merged into what is saved", async () => {
        const way: Way = { optimizer: adamW({ lr: 1e-2 }), lora: { rank: 2, alpha: 4 } };
        await using trainer = await trainerOf(backend, way);
        expect(trainer.parameters).toEqual(["lora.A.network.7.weight", "lora.B.network.7.weight"]);
        const losses: number[] = [];
        for await (const { loss } of trainer.fit(Array(20).fill(batches[0]))) losses.push(loss);
        expect(losses.at(-1)).toBeLessThan(losses[0]! - 0.01);
        const { loss: last } = await trainer.train(batches[0]!);
        await using resumed = await trainerOf(backend, { ...way, checkpoint: await trainer.checkpoint() });
        const { loss: next } = await resumed.train(batches[0]!);
        await using model = await trainer.model();
        const [loss] = (await model.runFlat(batches[0]!)) as readonly HostTensor[];
        expect(Number(((await loss!.read()) as Float32Array)[0])).toBeCloseTo(next, 4);
        expect(next).toBeLessThan(last);
      });

      it("frozen parameters stay, and an aborted step changes nothing", async () => {
        await using all = await trainerOf(backend, { optimizer: sgd({ lr: 0.1 }) });
        const begun = await all.weights();
        await using trainer = await trainerOf(backend, {
          optimizer: sgd({ lr: 0.1 }),
          train: (name) => name.endsWith("7.weight"),
        });
        expect(trainer.parameters).toEqual(["network.7.weight"]);
        const before = await trainer.weights();
        expect([...before.keys()].sort()).toEqual([...begun.keys()].sort());
        expect(before.get("network.0.weight")!.data).toEqual(begun.get("network.0.weight")!.data);
        const controller = new AbortController();
        controller.abort(new Error("enough"));
        await expect(trainer.train(batches[0]!, { signal: controller.signal })).rejects.toThrow("enough");
        expect(trainer.step).toBe(0);
        expect((await trainer.weights()).get("network.7.weight")!.data).toEqual(before.get("network.7.weight")!.data);
        await trainer.train(batches[0]!);
        expect((await trainer.weights()).get("network.7.weight")!.data).not.toEqual(
          before.get("network.7.weight")!.data,
        );
      });
    });
  }

  it("10,000 steps hold as much memory as a hundred", async () => {
    const backend = await backends[0]!.create();
    await using trainer = await trainerOf(backend, { optimizer: adamW() });
    await using model = await trainer.model();
    const run = async (count: number): Promise<number> => {
      for (let i = 0; i < count; i++) await trainer.train(batches[i % batches.length]!);
      collectGarbage();
      // What other threads still sweep is counted until they are done.
      await new Promise((resolve) => setTimeout(resolve, 50));
      collectGarbage();
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      return arrayBuffers + heapUsed + (await model.memory()).reserved;
    };
    const early = await run(500);
    const late = await run(10_000);
    expect(trainer.step).toBe(10_500);
    expect(late - early).toBeLessThan(1e6);
  }, 60_000);

  it("options that are not possible are refused with a code", async () => {
    const backend = await backends[0]!.create();
    const codeOf = async (way: Partial<Way>): Promise<string> => {
      const error = await trainerOf(backend, { optimizer: sgd(), ...way }).catch((problem: unknown) => problem);
      return error instanceof Pt2Error ? error.code : "none";
    };
    expect(await codeOf({ accumulate: 0 })).toBe("train.options");
    expect(await codeOf({ clipNorm: -1 })).toBe("train.options");
    expect(await codeOf({ train: () => false })).toBe("train.parameters");
    expect(await codeOf({ of: 1 })).toBe("autograd.of");
    expect(await codeOf({ lora: { rank: 0 } })).toBe("train.options");
    expect(await codeOf({ lora: { rank: 2, match: () => false } })).toBe("train.parameters");
    expect(() => sgd({ nesterov: true })).toThrow("Nesterov");
    expect(() => adamW({ lr: -1 })).toThrow("does not take `{ lr: -1 }`");
    const trainer = await trainerOf(backend, { optimizer: sgd() });
    const checkpoint = await trainer.checkpoint();
    await trainer.dispose();
    await expect(trainer.train(batches[0]!)).rejects.toMatchObject({ code: "train.disposed" });
    expect(await codeOf({ optimizer: adamW(), checkpoint })).toBe("train.checkpoint");
  });
});

/** The largest difference of two lists, relative to the largest element. */
function worst(found: readonly number[], right: readonly number[]): number {
  const scale = right.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return right.reduce((most, value, i) => Math.max(most, Math.abs(value - found[i]!) / scale), 0);
}
