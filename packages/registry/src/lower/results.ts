import { numel } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { checkLimit, checkTensor } from "../limits.ts";
import type { OpRecord } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import { hasTensor } from "../schema/has-tensor.ts";
import type { ArgValue, Strided, TensorMeta } from "../tensor-meta.ts";
import { contiguous, requireInside } from "../view.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";

/** Converts the result of a rule to one entry per return. */
export function resultsOf(record: OpRecord, answer: ArgValue | undefined): readonly ArgValue[] {
  const { returns } = record.schema;
  if (returns.length === 0 || answer === undefined) return [];
  return returns.length === 1 ? [answer] : (answer as readonly ArgValue[]);
}

/**
 * Returns whether an op has no tensors in its results (`sym_size`, `_assert_scalar`): it needs no call, because
 * inference computes its results.
 */
export function isFree(record: OpRecord): boolean {
  return record.infer !== undefined && record.schema.returns.every(({ type }) => !hasTensor(type));
}

/** Infers the result of a view of a contiguous tensor, and checks that its geometry stays inside that tensor. */
export function viewMeta(record: OpRecord, args: Readonly<Record<string, ArgValue>>): ArgValue {
  const source = args[record.schema.args[0]!.name] as TensorMeta;
  if (source.wrapped !== undefined || source.number !== undefined) {
    throw registryError("registry.argument", { what: `${record.name}: a number cannot be viewed` });
  }
  const geometry = record.view!(contiguous(source.shape), args);
  if (geometry === null)
    throw registryError("registry.shape", { what: `${record.name} cannot view a tensor of shape [${source.shape}]` });
  const count = numel(source.shape);
  const meta = (view: Strided): TensorMeta => {
    requireInside(view, count, record.name);
    return { dtype: source.dtype, shape: view.shape };
  };
  return "strides" in geometry ? meta(geometry) : geometry.map(meta);
}

/** Makes new tensors for results that rules returned as metas, and checks that each is small enough for the backend. */
export function named(
  results: readonly ArgValue[],
  maxBytes: number,
  op: string,
  node: Node,
  depth: number,
): readonly ArgValue[] {
  checkLimit("listItems", results.length, op);
  return results.map((r) => {
    if (Array.isArray(r)) return named(r, maxBytes, op, node, depth);
    if (typeof r !== "object" || r === null || !("shape" in r)) return r;
    checkTensor(r, maxBytes, op);
    return freshTensor(r, node, depth);
  });
}

/** Results of different calls are different objects even if their metas are equal. */
function freshTensor(meta: TensorMeta, node: Node, depth: number): LoweredTensor {
  return { dtype: meta.dtype, shape: meta.shape, name: depth === 0 ? node.name : `${node.name}.${depth}` };
}
