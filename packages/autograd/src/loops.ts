// Loops over rows that gradients flow through; it is loaded with the first one.
import type { OpName } from "@pt2/graph";
import type { ArgValue, Builder, TensorMeta } from "@pt2/registry";

type Values = readonly ArgValue[];

/**
 * Does the steps of `scan` or `map_impl` one by one, as calls of the surrounding graph: gradients then flow through these.
 * Returns null for another op, and where there is no row.
 */
export function unrolled(op: OpName, operands: Values, step: (inputs: Values) => Values, b: Builder): Values | null {
  if (op !== "higher_order::scan" && op !== "higher_order::map_impl") return null;
  const [init, xs, additional] = (op === "higher_order::scan" ? operands : [[], ...operands]) as readonly Values[];
  const rows = (xs![0] as TensorMeta).shape[0]!;
  if (rows === 0) return null;
  // The gradients of all rows are joined once.
  const taken = xs!.map((self) => b.call("aten::unbind.int", { self: self as TensorMeta, dim: 0 })[0] as Values);
  let carry = init!;
  const made = Array.from({ length: rows }, (_, i) => {
    const results = step([...carry, ...taken.map((each) => each[i]!), ...additional!]);
    carry = results.slice(0, carry.length);
    return results.slice(carry.length);
  });
  const stacked = made[0]!.map((_, k) =>
    b.tensor("aten::stack", { tensors: made.map((each) => each[k] as TensorMeta), dim: 0 }),
  );
  return [...carry, ...stacked];
}
