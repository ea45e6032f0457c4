import type { Node } from "@pt2/graph";
import { evaluateSymbolicOp, type SymOperand } from "@pt2/graph/passes";
import type { ArgValue } from "../builder.ts";
import { isScalar } from "../wrapped.ts";

/** A Python value: ints are bigints, floats are numbers. */
type PyValue = bigint | number | boolean;

/** The value of a node that computes a size or a number from others; undefined when the node is none. */
export function evaluateSymbolic(node: Node, valueOfArg: (index: number) => ArgValue): ArgValue | undefined {
  if (!/^(_operator|math|torch|builtins)::/.test(node.op)) return undefined;
  const operands = node.args.flatMap(({ name }, i): readonly SymOperand<PyValue>[] => {
    const value = valueOfArg(i);
    const items = Array.isArray(value) ? (value as readonly ArgValue[]) : [value];
    return items.filter(isScalar).map((item) => ({ name, value: toPython(item) }));
  });
  const result = evaluateSymbolicOp(node.op, operands);
  return result === undefined ? undefined : fromPython(result);
}

function toPython(value: ArgValue): PyValue {
  if (typeof value === "object") return value !== null && "float" in value ? value.float : Number.NaN;
  return typeof value === "number" ? BigInt(value) : (value as PyValue);
}

function fromPython(value: PyValue): ArgValue {
  if (typeof value === "number") return { float: value };
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
