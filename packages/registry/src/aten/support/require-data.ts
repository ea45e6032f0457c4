import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";

/**
 * Refuses data when the program runs: everywhere in `condition` (bool) must be true. For values that PyTorch looks at
 * before it computes and that no kernel of the decomposition would notice.
 */
export function requireData(b: Builder, condition: TensorMeta, what: string): void {
  const self = condition.shape.length === 0 ? condition : b.tensor("aten::all", { self: condition });
  b.call("aten::_assert_async.msg", { self, assert_msg: what });
}
