import { chirpTables, paddedSize, radicesOf } from "@pt2/engine/host";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { fourierKernels } from "./fourier-module.ts";

/** The longest transform: longer ones would need more scratch than a model should take for them. */
const LONGEST = 2 ** 20;
/** The largest radix whose step is written out. */
const WRITTEN_OUT = 5;

/** The transform of one length, planned. Sequences are transformed side by side: the same element of each stands together. */
export interface Transform {
  /** Complex numbers of a sequence that each of both blocks has room for. */
  readonly room: number;
  /** How often a sequence is passed over. */
  readonly steps: number;
  /** Bytes that steps need besides the blocks. */
  readonly spare: number;
  /** Transforms what is in block `x`, with the help of another and of spare bytes; gives the block that has the results. */
  run(x: number, y: number, lanes: number, spare: number): number;
}

/** Whether there is room for the transform of a length. */
export function canTransform(size: number): boolean {
  return size > 0 && size <= LONGEST && (radicesOf(size) !== null || paddedSize(size) <= LONGEST);
}

/** Plans the transform of a length, by its factors or, where one is large, as a convolution with a chirp. */
export function planTransform(call: KernelCall, size: number): Transform {
  const radices = radicesOf(size);
  return radices === null ? planChirp(call, size) : planSteps(call, size, radices);
}

function planSteps(call: KernelCall, size: number, radices: readonly number[]): Transform {
  const { fourierStep, fourierOddStep } = fourierKernels(call);
  const roots = rootsOfUnity(call, size, size);
  const largest = Math.max(1, ...radices);
  const waves = new Map(
    radices.filter((radix) => radix > WRITTEN_OUT).map((radix) => [radix, rootsOfUnity(call, radix, radix)] as const),
  );
  return {
    room: size,
    steps: radices.reduce((sum, radix) => sum + Math.ceil(radix / WRITTEN_OUT), 0),
    spare: largest > WRITTEN_OUT ? 32 * (largest - 1) : 0,
    run(x, y, lanes, spare) {
      let [from, to, stride] = [x, y, 1];
      for (const radix of radices) {
        const wave = waves.get(radix);
        if (wave === undefined) fourierStep(radix, from, to, size * lanes, stride, lanes, addressOf(roots));
        else {
          const [root, turn] = [addressOf(roots), addressOf(wave)];
          fourierOddStep(radix, from, to, size * lanes, stride, lanes, root, turn, spare);
        }
        [from, to, stride] = [to, from, stride * radix];
      }
      return from;
    },
  };
}

function planChirp(call: KernelCall, size: number): Transform {
  const { fourierMultiply } = fourierKernels(call);
  const { padded, ...tables } = chirpTables(size);
  const [chirp, filter] = [tables.chirp, tables.filter].map((table) => call.constant("float64", [table.length], table));
  const inner = planSteps(call, padded, radicesOf(padded)!);
  return {
    ...{ room: padded, steps: 2 * inner.steps + 3, spare: inner.spare },
    run(x, y, lanes, spare) {
      fourierMultiply(x, addressOf(chirp!), size, padded, lanes, 0);
      const spectrum = inner.run(x, y, lanes, spare);
      // The inverse is the transform with parts exchanged before and after it.
      fourierMultiply(spectrum, addressOf(filter!), padded, padded, lanes, 2);
      const result = inner.run(spectrum, x + y - spectrum, lanes, spare);
      fourierMultiply(result, addressOf(chirp!), size, size, lanes, 1);
      return result;
    },
  };
}

/** Plans a table of cos and sin of 2πk/size for the first k. */
export function rootsOfUnity(call: KernelCall, count: number, size: number): TensorView {
  const roots = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) {
    roots[2 * k] = Math.cos((2 * Math.PI * k) / size);
    roots[2 * k + 1] = Math.sin((2 * Math.PI * k) / size);
  }
  return call.constant("float64", [2 * count], roots);
}
