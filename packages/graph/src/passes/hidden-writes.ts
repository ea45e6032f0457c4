import type { Node, OpName } from "../ir.ts";
import { argOf } from "../query/node-values.ts";

/** Normalizations that update running statistics in training, which their schemas do not say, each with its flag. */
const TRAINING_FLAG: ReadonlyMap<OpName, string> = new Map([
  ["aten::batch_norm", "training"],
  ["aten::native_batch_norm", "training"],
  ["aten::cudnn_batch_norm", "training"],
  ["aten::miopen_batch_norm", "training"],
  ["aten::_batch_norm_impl_index", "training"],
  ["aten::instance_norm", "use_input_stats"],
]);

const STATISTICS: readonly string[] = ["running_mean", "running_var"];

/** Returns the arguments that a node writes to although its op's schema does not say so. */
export function hiddenWrites(node: Node): readonly string[] {
  const name = TRAINING_FLAG.get(node.op);
  if (name === undefined) return [];
  const flag = argOf(node, name);
  if (flag?.kind === "bool" && !flag.value) return [];
  return STATISTICS.filter((statistic) => argOf(node, statistic)?.kind === "value");
}
