import type { Graph, Node, TensorType, ValueType } from "@pt2/graph";
import { evaluateSize, usesOf } from "@pt2/graph";
import { describe } from "../lower/arguments.ts";
import { registryError } from "../registry-errors.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describeValue } from "./describe-value.ts";

/** The results of a node as a user's function gives them: one entry per output, a list for a `Tensor[]`. */
export interface Claim {
  readonly node: Node;
  readonly results: readonly unknown[];
  /** Types of the graph's values. */
  readonly types: Graph["values"];
  /** What stands for a value that the node uses; its shape tells sizes that were open at the export. */
  readonly operand: (name: string) => unknown;
  /** Who says it: `The handler`. */
  readonly who: string;
}

/** What of a registry tells which ops users bring. */
interface Users {
  handlerOf(op: string): unknown;
  userSetOf(op: string): string | undefined;
}

/** Refuses what a user's rules gave for a node where PyTorch recorded something else. */
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
 * Refuses results of a user's function that are not what PyTorch recorded of the node: whatever reads them counts
 * on it. Sizes that only data can tell may be any.
 */
export function requireRecorded({ node, results, types, operand, who }: Claim): void {
  const sizes = boundSizes(node, types, operand);
  node.outputs.forEach((output, i) => {
    if (output.kind === "none") return;
    const answer = results[i];
    if (output.kind === "value") {
      requireType(answer, types.get(output.name), sizes, node, `${who} of ${node.op} gave`, i);
      return;
    }
    const items = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
    output.names.forEach((name, k) => {
      requireType(items[k], types.get(name), sizes, node, `${who} of ${node.op} gave`, k);
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
    what: `${says} ${describeValue(answer)} as result ${at}, and the program says ${describeType(type, sizes)}`,
    where: describe(node),
    advice: "give what the op gave in PyTorch when the program was exported",
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

/** Values of symbols that the operands' shapes tell. */
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
    // Its symbols are those of other values, or of data.
    return null;
  }
}

function describeType({ dtype, shape }: TensorType, sizes: ReadonlyMap<string, number>): string {
  return `${dtype} [${shape.map((size) => sizeOf(size, sizes) ?? "?").join(", ")}]`;
}
