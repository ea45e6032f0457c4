import type { Arg, Node, OpName } from "../ir.ts";

/** Checks, with the names of their positional arguments. */
export const CHECKS: ReadonlyMap<OpName, readonly string[]> = new Map([
  ["aten::_assert_async", ["self"]],
  ["aten::_assert_async.msg", ["self", "assert_msg"]],
  ["aten::_assert_scalar", ["self", "assert_msg"]],
  ["aten::_linalg_check_errors", ["info", "api_name"]],
  ["aten::sym_constrain_range", ["size"]],
  ["aten::sym_constrain_range_for_size", ["size"]],
]);

/**
 * Converts a check that is ordered by an effect token, with_effects(token, check, …) = (token, nothing), to a plain
 * node and the remaining token. Checks have no side effects, so their place in the graph is order enough.
 */
export function orderedCheck(node: Node): { readonly check: Node; readonly token: Arg } | null {
  if (node.op !== "higher_order::with_effects") return null;
  const [token, called, ...operands] = node.args;
  const names = called?.arg.kind === "operator" ? CHECKS.get(called.arg.op) : undefined;
  if (names === undefined || called?.arg.kind !== "operator") return null;
  const args = operands.map(({ name, arg }, i) => ({ name: name === "" ? (names[i] ?? "") : name, arg }));
  return { check: { ...node, op: called.arg.op, args, outputs: [] }, token: token!.arg };
}
