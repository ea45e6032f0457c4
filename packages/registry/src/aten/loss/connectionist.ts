import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";
import { reduceLoss } from "./reduction.ts";

/** Defines connectionist temporal classification. A backend provides `_ctc_loss`. */
export const CONNECTIONIST_LOSS_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
    {
      requires: { kinds: { targets: "index" } },
      infer: ({ log_probs, targets, input_lengths, target_lengths, blank }) => {
        const batch = checked(log_probs, targets, blank);
        checkLengths("input_lengths", input_lengths.length, batch);
        checkLengths("target_lengths", target_lengths.length, batch);
        const total = target_lengths.reduce((sum, length) => sum + length, 0);
        check(
          targets.shape.length === 1
            ? targets.shape[0] === total
            : targets.shape[0] === batch && Math.max(0, ...target_lengths) <= targets.shape[1]!,
          () =>
            `ctc_loss: targets ${show(targets.shape)} do not hold targets of these lengths: ${show(target_lengths)}`,
        );
        return results(log_probs, Math.max(0, ...target_lengths));
      },
    },
  ),
  defineOp(
    "aten::_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
    {
      requires: { kinds: { targets: "index", input_lengths: "index", target_lengths: "index" } },
      // The second result is as wide as the longest target.
      dynamic: true,
      infer: ({ log_probs, targets, input_lengths, target_lengths, blank }) => {
        const batch = checked(log_probs, targets, blank);
        checkLengths("input_lengths", input_lengths.shape[0] ?? 0, batch);
        checkLengths("target_lengths", target_lengths.shape[0] ?? 0, batch);
        check(
          targets.shape.length === 1 || targets.shape[0] === batch,
          () => `ctc_loss: expected targets of ${batch} rows, got ${show(targets.shape)}`,
        );
        return results(log_probs, targets.shape.at(-1)!);
      },
    },
  ),
  defineOp(
    "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
    {
      requires: { kinds: { targets: "index" } },
      decompose({ reduction, ...args }, b) {
        const e = emit(b);
        const divisors = args.target_lengths.map((n) => e.full([1], Math.max(n, 1), args.log_probs.dtype));
        const lossesOf = (log_probs: TensorMeta): TensorMeta => b.tensor("aten::_ctc_loss", { ...args, log_probs });
        return loss(b, args, lossesOf, reduction, () => e.cat(divisors, 0));
      },
    },
  ),
  defineOp(
    "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
    {
      requires: { kinds: { targets: "index", input_lengths: "index", target_lengths: "index" } },
      decompose({ reduction, ...given }, b) {
        const e = emit(b);
        const args = {
          ...given,
          input_lengths: listed(b, given.input_lengths),
          target_lengths: listed(b, given.target_lengths),
        };
        const divisor = (): TensorMeta => e.cast(e.clampMin(args.target_lengths, 1), args.log_probs.dtype);
        const lossesOf = (log_probs: TensorMeta): TensorMeta =>
          b.tensor("aten::_ctc_loss.Tensor", { ...args, log_probs });
        return loss(b, args, lossesOf, reduction, divisor);
      },
    },
  ),
];

/** Checks the arguments, and returns the size of the batch. */
function checked(log_probs: TensorMeta, targets: TensorMeta, blank: number): number {
  const [, batch, classes] = log_probs.shape;
  check(
    log_probs.shape.length === 3 && (targets.shape.length === 1 || targets.shape.length === 2),
    () =>
      `_ctc_loss: expected log_probs of 3 and targets of 1 or 2 dimensions, got ${show(log_probs.shape)} and ${show(targets.shape)}`,
  );
  check(blank >= 0 && blank < classes!, "blank must be in label range");
  return batch!;
}

function checkLengths(what: string, count: number, batch: number): void {
  check(count === batch, () => `${what} must be of size batch_size, got ${count} for ${batch}`);
}

function results({ dtype, shape }: TensorMeta, longest: number): readonly [TensorMeta, TensorMeta] {
  const [steps, batch] = shape as readonly [number, number];
  return [
    { dtype, shape: [batch] },
    { dtype, shape: [batch, steps, 2 * longest + 1] },
  ];
}

/** Makes a 1-d tensor of the length of a sequence without a batch. */
function listed(b: Builder, lengths: TensorMeta): TensorMeta {
  return lengths.shape.length === 0 ? emit(b).unsqueeze(lengths, 0) : lengths;
}

interface Ctc {
  readonly log_probs: TensorMeta;
  readonly zero_infinity: boolean;
}

/** Reduces the losses of a batch; `lossesOf` returns one per sequence. */
function loss(
  b: Builder,
  args: Ctc,
  lossesOf: (log_probs: TensorMeta) => TensorMeta,
  reduction: number,
  divisor: () => TensorMeta,
): TensorMeta {
  const e = emit(b);
  const batched = args.log_probs.shape.length === 3;
  const log_probs = batched ? args.log_probs : e.unsqueeze(args.log_probs, 1);
  const losses = lossesOf(log_probs);
  const infinite = (): TensorMeta => e.eq(losses, { float: Number.POSITIVE_INFINITY });
  const finite = args.zero_infinity ? e.where(infinite(), { float: 0 }, losses) : losses;
  if (reduction === 1) return e.mean(e.div(finite, divisor()), []);
  const reduced = reduceLoss(b, finite, reduction);
  return batched || reduction !== 0 ? reduced : e.squeeze(reduced, 0);
}
