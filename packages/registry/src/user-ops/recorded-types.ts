import type { Graph, Node, TensorType, ValueType } from "@pt2/graph";
import { evaluateSize, usesOf } from "@pt2/graph";
import { describe } from "../lower/arguments.ts";
import { registryError } from "../registry-errors.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describeValue } from "./describe-value.ts";

/** The results of a user's function for a node: one entry per output, a list for a `Tensor[]`. */
export interface Claim {
  readonly node: Node;
  readonly results: readonly unknown[];
  /** The types of the graph's values. */
  readonly types: Graph["values"];
  /** Returns the value of an operand by name; its shape determines symbolic sizes. */
  readonly operand: (name: string) => unknown;
  /** Who returned the results: `The handler`. */
  readonly who: string;
}

/** The members of a registry that tell which ops users define. */
interface Users {
  handlerOf(op: string): unknown;
  userSetOf(op: string): string | undefined;
}

/** Refuses results of a user's rules that differ from what PyTorch recorded for the node. */
export function requireAsRecorded(
  node: Node,
  results: readonly unknown[],
  operand: Claim["operand"],
  types: Graph["values"],
  registry: Users,
): void {
  const who = registry.handlerOf(node.op) !== undefined ? "The handler" : "The record";
  const own = who === "The handler" || registry.userSetOf(node.op) !== undefined;
  if (own) requireRecorded({ node, results, operand, types, who });
}

/**
 * Refuses results of a user's function that differ from what PyTorch recorded for the node, since later nodes rely on
 * it. Sizes that depend on data may have any value.
 */
export function requireRecorded({ node, results, types, operand, who }: Claim): void {
  const sizes = boundSizes(node, types, operand);
  node.outputs.forEach((output, i) => {
    if (output.kind === "none") return;
    const answer = results[i];
    if (output.kind === "value") {
      requireType(answer, types.get(output.name), sizes, node, `${who} of ${node.op} returned`, i);
      return;
    }
    const items = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
    output.names.forEach((name, k) => {
      requireType(items[k], types.get(name), sizes, node, `${who} of ${node.op} returned`, k);
    });
  });
}

function requireType(
  answer: unknown,
  type: ValueType | undefined,
  sizes: ReadonlyMap<string, number>,
  node: Node,
  says: string,
  at: number,
): void {
  if (type?.kind !== "tensor" || fits(answer, type, sizes)) return;
  throw registryError("registry.result", {
    what: `${says} ${describeValue(answer)} as result ${at}, but the program declares ${describeType(type, sizes)}`,
    where: describe(node),
    advice: "return what the op returned in PyTorch when the program was exported",
    details: { op: node.op, result: at },
  });
}

function fits(answer: unknown, { dtype, shape }: TensorType, sizes: ReadonlyMap<string, number>): boolean {
  if (!isTensorMeta(answer) || answer.dtype !== dtype || answer.shape.length !== shape.length) return false;
  return shape.every((size, d) => {
    const expected = sizeOf(size, sizes);
    return expected === null || expected === answer.shape[d];
  });
}

/** Returns the values of symbols that the operands' shapes determine. */
function boundSizes(node: Node, types: Graph["values"], operand: Claim["operand"]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const name of usesOf(node)) {
    const [type, value] = [types.get(name), operand(name)];
    if (type?.kind !== "tensor" || !isTensorMeta(value)) continue;
    type.shape.forEach((size, d) => {
      if (typeof size === "object" && size.kind === "symbol") sizes.set(size.name, value.shape[d]!);
    });
  }
  return sizes;
}

function sizeOf(size: TensorType["shape"][number], sizes: ReadonlyMap<string, number>): number | null {
  try {
    return evaluateSize(size, sizes);
  } catch {
    // The size depends on symbols of other values, or on data.
    return null;
  }
}

function describeType({ dtype, shape }: TensorType, sizes: ReadonlyMap<string, number>): string {
  return `${dtype} [${shape.map((size) => sizeOf(size, sizes) ?? "?").join(", ")}]`;
}
