import type { OpName } from "@pt2/graph";
import { createRegistry } from "./op-registry.ts";
import type { OpSet } from "./op-set.ts";

/** Common ops whose decompositions can lead to uncommon ones: singular values, an inverse. */
const LEADING_AWAY: ReadonlySet<OpName> = new Set([
  "aten::linalg_matrix_norm",
  "aten::linalg_matrix_norm.str_ord",
  "aten::linalg_matrix_power",
  "aten::linalg_norm",
  "aten::linalg_norm.ord_str",
]);

/**
 * PyTorch's own ops, as far as a program with these ops can need them, loaded when asked for: a page that runs an image
 * classifier does not download linear algebra. Without a list: all of them.
 */
export async function atenFor(ops?: Iterable<OpName>): Promise<readonly OpSet[]> {
  const { commonOps } = await import("./aten/common.ts");
  const common = createRegistry({ sets: [commonOps] });
  const suffices = (op: OpName): boolean => !isAten(op) || (common.resolve(op) !== undefined && !LEADING_AWAY.has(op));
  const needed = ops === undefined ? undefined : [...ops];
  const sets = needed?.every(suffices) ? [commonOps] : [commonOps, (await import("./aten/uncommon.ts")).uncommonOps];
  return needed?.some(isTorchNn) ? [...sets, (await import("./torch-nn/index.ts")).torchNn] : sets;
}

function isTorchNn(op: OpName): boolean {
  return op.startsWith("torch_nn::");
}

/** Ops of other name spaces come from op packages and handlers. */
function isAten(op: OpName): boolean {
  return /^(aten|prims)::/.test(op);
}
