import { slicesOf } from "@pt2/engine";
import { DTYPES } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { fourierKernels } from "./fourier-module.ts";

/** The factors that steps have. Fours take fewer steps than twos. */
const RADICES = [4, 2, 3, 5];
/** The longest transform: longer ones would need more scratch than a model should take for them. */
const LONGEST = 2 ** 20;
/** Slices that are transformed together: where their elements stand side by side in memory, each read brings in all of them. */
const LANES = 8;
/** The most numbers of slices that are transformed together, so that they stay in a processor's cache. */
const TOGETHER = 2 ** 14;
const NANOSECONDS_EACH_STEP = 1.5;

/** The factors of a length; null where there are others, or it is too long. */
export function radicesOf(size: number): readonly number[] | null {
  const radices: number[] = [];
  let left = size;
  for (const radix of RADICES) {
    for (; left > 1 && left % radix === 0; left /= radix) radices.push(radix);
  }
  return left === 1 && size <= LONGEST ? radices : null;
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

/** A tensor of which each slice along a dimension is transformed. */
export interface Sliced {
  readonly view: TensorView;
  readonly dim: number;
}

/** What a slice is read from or written to: the address of its first element, and how many bytes elements lie apart. */
type EachSlice = (address: number, step: number, lane: number, lanes: number) => void;

/** What a run does once it gets there. */
export type Step = () => void;

/**
 * Makes the step that transforms `size` complex numbers of each slice of a tensor, in memory that `read` fills and `write` takes the
 * results from: number k of a slice is at `lane + 16 * lanes * k`.
 */
export function passStep(
  call: KernelCall,
  size: number,
  from: Sliced,
  to: Sliced,
  read: EachSlice,
  write: EachSlice,
): Step {
  const radices = radicesOf(size)!;
  const [sources, targets] = [from, to].map(({ view, dim }) => slicesOf(view, dim));
  const count = sources!.starts.length;
  if (count === 0) return () => {};
  const { fourierStep } = fourierKernels(call);
  const roots = rootsOfUnity(call, size, size);
  const most = Math.max(1, Math.min(LANES, Math.floor(TOGETHER / size)));
  const steps = Math.max(1, radices.length) * size;
  const parts = call.team.parts({ items: count, unit: most, nanoseconds: count * steps * NANOSECONDS_EACH_STEP });
  const scratchOf = partScratch(call, parts, 32 * size * most);
  const [bytesFrom, bytesTo] = [from, to].map(({ view }) => DTYPES[view.dtype].itemsize) as [number, number];
  const compute = (part: Part): void => {
    const [block, spare] = [scratchOf(part), scratchOf(part) + 16 * size * most];
    const [source, target] = [addressOf(from.view), addressOf(to.view)];
    for (let first = part.start; first < part.start + part.count; first += most) {
      const lanes = Math.min(most, part.start + part.count - first);
      for (let k = 0; k < lanes; k++) {
        read(source + sources!.starts[first + k]! * bytesFrom, sources!.stride * bytesFrom, block + 16 * k, lanes);
      }
      let [x, y, stride] = [block, spare, 1];
      for (const radix of radices) {
        fourierStep(radix, x, y, size * lanes, stride, lanes, addressOf(roots));
        [x, y, stride] = [y, x, stride * radix];
      }
      for (let k = 0; k < lanes; k++) {
        write(target + targets!.starts[first + k]! * bytesTo, targets!.stride * bytesTo, x + 16 * k, lanes);
      }
    }
  };
  return call.team.step(parts, compute);
}
