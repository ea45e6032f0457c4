import { type Slices, slicesOf } from "@pt2/engine";
import { DTYPES } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { planTransform } from "./transform.ts";

/** Slices that are transformed together: where their elements stand side by side in memory, each read brings in all of them. */
const LANES = 8;
/** As many numbers are transformed together where slices are short, so that calls are worth it. */
const WORTH_A_CALL = 2 ** 10;
/** The most numbers of slices that are transformed together, so that they stay in a processor's cache. */
const TOGETHER = 2 ** 14;
const NANOSECONDS_EACH_STEP = 1.5;

/** Slices that lie evenly: the address of the first element, how many bytes elements lie apart, and how many slices do. */
export interface EvenSlices {
  readonly address: number;
  readonly step: number;
  readonly apart: number;
  readonly count: number;
}

/** Reads slices into lanes, or writes them: number k of the first of them is at `lane + next * k`. */
type EachSlices = (slices: EvenSlices, lane: number, next: number) => void;

/** What a run does once it gets there. */
export type Step = () => void;

/** Makes the step that transforms `size` complex numbers of each slice of a tensor along a dimension, in memory that `read` fills and `write` takes the results from. */
export function passStep(
  call: KernelCall,
  size: number,
  dim: number,
  from: TensorView,
  to: TensorView,
  read: EachSlices,
  write: EachSlices,
): Step {
  const [sources, targets] = [from, to].map((view) => slicesOf(view, dim));
  const count = sources!.starts.length;
  if (count === 0) return () => {};
  const { room, steps, spare, run } = planTransform(call, size);
  const wanted = Math.max(LANES, Math.floor(WORTH_A_CALL / room));
  const most = Math.max(1, Math.min(wanted, Math.floor(TOGETHER / room)));
  const nanoseconds = count * Math.max(1, steps) * room * NANOSECONDS_EACH_STEP;
  const parts = call.team.parts({ items: count, unit: most, nanoseconds });
  const block = 16 * room * most;
  const scratchOf = partScratch(call, parts, 2 * block + spare);
  const compute = (part: Part): void => {
    const x = scratchOf(part);
    for (let first = part.start; first < part.start + part.count; first += most) {
      const lanes = Math.min(most, part.start + part.count - first);
      const next = 16 * lanes;
      eachEven(from, sources!, first, lanes, (slices, lane) => read(slices, x + 16 * lane, next));
      const result = run(x, x + block, lanes, x + 2 * block);
      eachEven(to, targets!, first, lanes, (slices, lane) => write(slices, result + 16 * lane, next));
    }
  };
  return call.team.step(parts, compute);
}

/** Calls a function for each run of slices that lie evenly, of `count` from the slice `first` on, with the number of its first lane. */
function eachEven(
  view: TensorView,
  { starts, stride }: Slices,
  first: number,
  count: number,
  use: (slices: EvenSlices, lane: number) => void,
): void {
  const { itemsize } = DTYPES[view.dtype];
  const address = addressOf(view);
  for (let k = first, end = first + count; k < end; ) {
    let next = k + 1;
    const apart = next < end ? starts[next]! - starts[k]! : 0;
    while (next < end && starts[next]! - starts[next - 1]! === apart) next++;
    const slices = { step: stride * itemsize, apart: apart * itemsize, count: next - k };
    use({ address: address + starts[k]! * itemsize, ...slices }, k - first);
    k = next;
  }
}
