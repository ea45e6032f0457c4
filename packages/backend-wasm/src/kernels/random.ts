import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { numbers } from "../engine/access.ts";
import type { Heap } from "../engine/heap.ts";
import type { WasmKernel } from "../engine/kernel.ts";
import { createGenerator, type Generator } from "../random/generator.ts";

/**
 * Random numbers. Every executable has a generator of its own that starts from the same seed, so that loading a program
 * again repeats its numbers, while runs of one executable go on with the sequence. The numbers are not PyTorch's.
 */
const SEED = 0x5eed;

const generators = new WeakMap<Heap, Generator>();

function generatorOf(heap: Heap): Generator {
  let generator = generators.get(heap);
  if (generator === undefined) {
    generator = createGenerator(SEED);
    generators.set(heap, generator);
  }
  return generator;
}

/** Significant bits of a dtype: a uniform number has no more, or rounding could make it 1. */
const BITS: Readonly<Partial<Record<DType, number>>> = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/** `rand(size)`: uniform in [0, 1). */
export const rand: WasmKernel = {
  ops: ["aten::rand"],
  prepare(call) {
    const out = call.output();
    const scale = 2 ** (BITS[out.dtype] ?? 24);
    const { heap } = call;
    call.step(() => {
      const [generator, to] = [generatorOf(heap), numbers(heap, out)];
      for (let i = 0; i < numel(out.shape); i++) to.set(i, Math.floor(generator.uniform() * scale) / scale);
    });
  },
};

/** `randn(size)`: normal, by the Box–Muller transform. */
export const randn: WasmKernel = {
  ops: ["aten::randn"],
  prepare(call) {
    const out = call.output();
    const { heap } = call;
    call.step(() => {
      const [generator, to] = [generatorOf(heap), numbers(heap, out)];
      const count = numel(out.shape);
      for (let i = 0; i < count; i += 2) {
        const radius = Math.sqrt(-2 * Math.log(1 - generator.uniform()));
        const angle = 2 * Math.PI * generator.uniform();
        to.set(i, radius * Math.cos(angle));
        if (i + 1 < count) to.set(i + 1, radius * Math.sin(angle));
      }
    });
  },
};
