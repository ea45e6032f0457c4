import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";

/**
 * Emits samples without replacement: the columns of each row whose exponential waiting times are the shortest, given `odds` as
 * their rates and the times at a rate of 1.
 */
export function firstOf(b: Builder, odds: TensorMeta, waits: TensorMeta, count: number): TensorMeta {
  const e = emit(b);
  const finite = b.tensor("aten::isfinite", { self: odds });
  const valid = b.tensor("aten::logical_and", { self: finite, other: e.ge(odds, 0) });
  requireData(b, valid, "probability tensor contains either `inf`, `nan` or element < 0");
  const some = e.gt(e.sum(odds, [-1]), 0);
  requireData(b, some, "invalid multinomial distribution (sum of probabilities <= 0)");
  return b.call("aten::topk", { self: e.div(odds, waits), k: count, dim: -1 })[1];
}
