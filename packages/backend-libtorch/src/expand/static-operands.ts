import { type Node, usesOf, type ValueType } from "@pt2/graph";
import type { ArgValue } from "@pt2/registry";

/** Returns what a node's rules read of the values that it uses, or null where a size is known only when it runs. */
export function staticOperands(
  node: Node,
  typeOf: (name: string) => ValueType | undefined,
): ReadonlyMap<string, ArgValue> | null {
  const operands = new Map<string, ArgValue>();
  for (const name of usesOf(node)) {
    const value = staticValue(typeOf(name), name);
    if (value === null) return null;
    operands.set(name, operands.get(name) ?? value);
  }
  return operands;
}

function staticValue(type: ValueType | undefined, name: string): ArgValue {
  if (type === undefined || type.kind === "object") return null;
  if (type.kind === "tensor") {
    const { dtype, shape } = type;
    return shape.every((size) => typeof size === "number") ? ({ dtype, shape, name } as ArgValue) : null;
  }
  const { value } = type;
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") return null;
  return type.kind === "symfloat" ? { float: value } : value;
}
