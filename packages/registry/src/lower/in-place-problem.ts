import { DTYPES, type DType } from "@pt2/format";
import type { Node } from "@pt2/graph";
import type { OpRecord } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describe } from "./arguments.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Refuses the result of an in-place call that does not fit where it is written. */
export function requireFits(result: ArgValue | undefined, record: OpRecord | undefined, given: Args, node: Node): void {
  const problem = record && inPlaceProblem(result, given[node.written!], record, given.dtype);
  if (problem) throw registryError("registry.argument", { what: `${node.op}: ${problem}`, where: describe(node) });
}

/**
 * Returns why the result of an in-place call cannot be written to its argument, or null: the shapes differ, or PyTorch
 * does not convert between the dtypes. An explicit `dtype` to compute in must be that of the argument.
 */
export function inPlaceProblem(
  result: ArgValue | undefined,
  written: ArgValue | undefined,
  { schema }: OpRecord,
  dtype: ArgValue | undefined,
): string | null {
  if (!isTensorMeta(result) || !isTensorMeta(written)) return null;
  const { shape } = written;
  if (shape.length !== result.shape.length || shape.some((size, d) => size !== result.shape[d])) {
    return `output with shape [${shape.join(", ")}] doesn't match the broadcast shape [${result.shape.join(", ")}]`;
  }
  if (typeof dtype === "string" && dtype !== written.dtype) {
    return `input tensor dtype ${dtype} and output tensor dtype ${written.dtype} should match`;
  }
  if (schema.args.some(({ name }) => name === "dtype") || canCast(result.dtype, written.dtype)) return null;
  return `result type ${result.dtype} can't be cast to the desired output type ${written.dtype}`;
}

/** Does what `torch.can_cast` does. */
function canCast(from: DType, to: DType): boolean {
  const [x, y] = [DTYPES[from].kind, DTYPES[to].kind];
  if (from === to || y === "complex") return true;
  if (to === "bool" || x === "complex") return from === "bool";
  return x !== "float" || y === "float";
}
