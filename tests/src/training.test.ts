import { rm } from "node:fs/promises";
import { cpus } from "node:os";
import { grad } from "@pt2/autograd";
import type { Backend, HostTensor, Tensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { isGradient, isReturned } from "@pt2/graph";
import { type LoadOptions, load, type Model, readSchema, type StepResult } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { missingPython, python } from "./python.ts";
import { exportTraining, openTraining, TRAINING_NAMES, type TrainingProgram } from "./training-programs.ts";

/**
 * Joint programs whose results in PyTorch itself are not the gradients: it gives attention weights to a backward op that
 * takes their logarithmic sums.
 */
const WRONG_IN_PYTORCH: ReadonlySet<string> = new Set(["encoder", "bert", "llama", "vit"]);
/** How far a gradient may be off, relative to its largest element. */
const TOLERANCE = 1e-3;
/** A gradient whose largest element is smaller than this part of the largest of all is rounding alone. */
const NEGLIGIBLE = 1e-3;

/** Programs whose masks PyTorch with MKL draws from another generator on CPUs by Intel; other backends cannot draw them. */
const DRAWN_ELSEWHERE: ReadonlySet<string> = new Set(cpus()[0]?.model.includes("Intel") ? ["dropped"] : []);
const REASON = "on CPUs by Intel PyTorch draws its masks from MKL's generator";

const backends = await testedBackends();

describe.skipIf(python === undefined)(`programs of a loss have PyTorch's gradients${missingPython}`, () => {
  let folder = "";
  beforeAll(async () => {
    folder = await exportTraining(python!);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  for (const { name: backendName, missing, create, precision } of backends) {
    describe.skipIf(missing !== null)(`${backendName}${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
      let backend: Backend;
      beforeAll(async () => {
        backend = await create();
      });
      const isDrawnElsewhere = (name: string): boolean =>
        !backendName.startsWith("libtorch") && DRAWN_ELSEWHERE.has(name);
      const options = (): LoadOptions => ({ backend, ...(precision === undefined ? {} : { precision }) });

      it.for(TRAINING_NAMES)("%s: PyTorch's program of forward and backward", async (name, { skip }) => {
        skip(isDrawnElsewhere(name), REASON);
        const training = await openTraining(folder, name);
        await training.close();
        if (training.joint === null) return;
        await using model = await load(training.joint, options());
        backend.manualSeed?.(0);
        await compare(model, training);
      });

      const bits = precision === "exact" ? TRAINING_NAMES.filter((name) => !WRONG_IN_PYTORCH.has(name)) : [];
      it.each(bits)("%s: the bits of PyTorch running the same graph", async (name) => {
        const training = await openTraining(folder, name);
        await training.close();
        if (training.joint === null) return;
        // PyTorch ran it with one thread.
        await using single = await libtorch({ threads: 1 });
        await using model = await load(training.joint, { backend: single, precision: "exact" });
        const { program } = await readSchema(training.joint);
        single.manualSeed(0);
        const positions = program.outputs.flatMap((spec, i) => (isReturned(spec) ? [i] : []));
        const values = (await model.runFlat(training.inputs)) as readonly Tensor[];
        expect(values).toHaveLength(positions.length);
        for (const [i, value] of values.entries()) {
          const right = training.expected.get(`joint.${positions[i]}`)!;
          expect(Buffer.compare((await value.cpu()).bytes, right.bytes), `result ${i}`).toBe(0);
        }
      });

      it.for(TRAINING_NAMES)("%s: our gradients of the forward program", async (name, { skip }) => {
        skip(isDrawnElsewhere(name), REASON);
        const training = await openTraining(folder, name);
        const { program, weights, close } = training;
        const differentiated = await grad(program, { of: 0, weights });
        expect(differentiated.outputs.some(isGradient)).toBe(true);
        await using model = await load({ program: differentiated, weights, close }, options());
        backend.manualSeed?.(0);
        await compare(model, training);
      });
    });
  }
});

/** Compares loss and gradients of one step, and the buffers that it writes, with PyTorch's. */
async function compare(model: Model, { inputs, expected }: TrainingProgram): Promise<void> {
  const { loss, gradients }: StepResult = await model.step!(...inputs);
  const right = [...expected].filter(([key]) => key.startsWith("grad."));
  const largest = Math.max(...right.map(([, tensor]) => magnitude(tensor)));
  expect(await difference(loss, expected.get("loss")!, 0), "loss").toBeLessThan(TOLERANCE);
  expect(Object.keys(gradients).length).toBeGreaterThan(0);
  for (const [name, gradient] of Object.entries(gradients)) {
    const tensor = expected.get(`grad.${name}`);
    if (tensor === undefined) throw new Error(`PyTorch has no gradient of ${name}`);
    expect(await difference(gradient, tensor, largest * NEGLIGIBLE), name).toBeLessThan(TOLERANCE);
  }
  const state = await model.readState!();
  for (const [name, tensor] of state) {
    const written = expected.get(`buffer.${name}`);
    if (written !== undefined) expect(await difference(tensor, written, 1e-3), name).toBeLessThan(TOLERANCE);
  }
}

/** The largest difference of two tensors, relative to the largest element, or to `least` if that is more. */
async function difference(found: Tensor, right: HostTensor, least: number): Promise<number> {
  const [a, b] = [await found.read(), right.data].map((data) => Array.from(data as Float32Array, Number));
  expect(found.shape).toEqual(right.shape);
  const scale = Math.max(magnitude(right), least, Number.MIN_VALUE);
  return b!.reduce((worst, value, i) => Math.max(worst, Math.abs(value - a![i]!) / scale), 0);
}

function magnitude({ data }: HostTensor): number {
  return Array.from(data as Float32Array, Number).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
