import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";

/**
 * Emits a check that every element of `condition` (bool) is true when the program runs. It is for values that PyTorch
 * checks before it computes, and that no kernel of the decomposition would reject.
 */
export function requireData(b: Builder, condition: TensorMeta, what: string): void {
  const self = condition.shape.length === 0 ? condition : b.tensor("aten::all", { self: condition });
  b.call("aten::_assert_async.msg", { self, assert_msg: what });
}
