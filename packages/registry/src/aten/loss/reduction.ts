import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** Applies the `reduction` argument of losses: 0 keeps every element, 1 is the mean, 2 the sum. */
export function reduceLoss(b: Builder, loss: TensorMeta, reduction: number): TensorMeta {
  const e = emit(b);
  if (reduction === 0) return loss;
  return reduction === 1 ? e.mean(loss, []) : e.sum(loss, []);
}
