import { backendError } from "@pt2/backend";
import { isTensorMeta, type TensorMeta } from "@pt2/registry";
import { indexError } from "../staged/index-error.ts";
import type { HostArray } from "./host-array.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** The arguments of connectionist temporal classification (CTC). */
export interface CtcArguments {
  /** [time, batch, classes] */
  readonly log_probs: HostArray;
  /** [batch, longest], or all targets concatenated. */
  readonly targets: HostArray;
  readonly input_lengths: ArrayLike<number>;
  readonly target_lengths: ArrayLike<number>;
  readonly blank: number;
}

/** Losses, and the log probability of each prefix of a target at each time: [batch, time, 2 longest + 1]. */
export interface CtcResult {
  readonly losses: Float64Array;
  readonly alpha: Float64Array;
}

/** `_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)` */
export const ctcLoss: HostKernel = hostKernel(["aten::_ctc_loss", "aten::_ctc_loss.Tensor"], (call, args) => {
  const lengths = (given: readonly number[] | TensorMeta): ArrayLike<number> =>
    isTensorMeta(given) ? call.array(given).data : given;
  const { losses, alpha } = connectionistLoss(
    {
      log_probs: call.array(args.log_probs),
      targets: call.array(args.targets),
      input_lengths: lengths(args.input_lengths),
      target_lengths: lengths(args.target_lengths),
      blank: args.blank,
    },
    call.shape(1)[2]!,
  );
  return [losses, alpha];
});

/** Computes the losses, with tables of `width` columns. */
export function connectionistLoss(args: CtcArguments, width: number): CtcResult {
  const [steps, batch] = args.log_probs.shape as readonly [number, number];
  const losses = new Float64Array(batch);
  const alpha = new Float64Array(batch * steps * width).fill(Number.NEGATIVE_INFINITY);
  let start = 0;
  for (let n = 0; n < batch; n++) {
    const [time, length] = [args.input_lengths[n]!, args.target_lengths[n]!];
    checkLength("input_lengths", time, steps);
    checkLength("target_lengths", length, (width - 1) / 2);
    if (args.targets.shape.length === 2) start = n * args.targets.shape[1]!;
    const labels = interleaved(args, start, length);
    const table = alpha.subarray(n * steps * width, (n + 1) * steps * width);
    losses[n] = fill(table, width, time, labels, (t, label) => logProbability(args, t, n, label));
    start += length;
  }
  if (args.targets.shape.length === 1 && start !== args.targets.shape[0]) {
    throw backendError("backend.data", {
      what: `ctc_loss: expected targets of ${start} elements, which is the sum of target_lengths, but got ${args.targets.shape[0]}`,
      advice: "Check the values that the program computes this from.",
    });
  }
  return { losses, alpha };
}

/** Returns a target with blanks before, between and after its labels. */
function interleaved({ targets, blank, log_probs }: CtcArguments, start: number, length: number): readonly number[] {
  const classes = log_probs.shape[2]!;
  if (start + length > targets.data.length) checkLength("target_lengths", length, targets.data.length - start);
  return Array.from({ length: 2 * length + 1 }, (_, s) => {
    const label = s % 2 === 0 ? blank : targets.data[start + (s - 1) / 2]!;
    if (!(label >= 0 && label < classes)) throw indexError(label, 2, classes);
    return label;
  });
}

function logProbability({ log_probs: { shape, data } }: CtcArguments, t: number, n: number, label: number): number {
  return data[(t * shape[1]! + n) * shape[2]! + label]!;
}

/** Fills the table of one target, and returns its loss. */
function fill(
  table: Float64Array,
  width: number,
  time: number,
  labels: readonly number[],
  logProbabilityOf: (t: number, label: number) => number,
): number {
  const last = labels.length - 1;
  if (time === 0) return last === 0 ? 0 : Number.POSITIVE_INFINITY;
  for (let s = 0; s <= Math.min(1, last); s++) table[s] = logProbabilityOf(0, labels[s]!);
  for (let t = 1; t < time; t++) {
    const before = (t - 1) * width;
    for (let s = 0; s <= last; s++) {
      const ways = [table[before + s]!];
      if (s > 0) ways.push(table[before + s - 1]!);
      // An alignment may skip the blank between two labels, unless the labels are equal.
      if (s > 1 && labels[s - 2] !== labels[s]) ways.push(table[before + s - 2]!);
      table[t * width + s] = logSum(ways) + logProbabilityOf(t, labels[s]!);
    }
  }
  const end = (time - 1) * width;
  return -logSum(Array.from(table.subarray(end + Math.max(last - 1, 0), end + last + 1)));
}

function logSum(logs: readonly number[]): number {
  const most = Math.max(...logs);
  const shift = most === Number.NEGATIVE_INFINITY ? 0 : most;
  return Math.log(logs.reduce((sum, log) => sum + Math.exp(log - shift), 0)) + shift;
}

function checkLength(what: string, length: number, most: number): void {
  if (length >= 0 && length <= most) return;
  throw backendError("backend.data", {
    what: `_ctc_loss: expected ${what} to have values between 0 and ${most}, but got ${length}`,
    advice: "Check the lengths that the program is given.",
  });
}
