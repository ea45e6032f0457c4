import { evaluateSymbolicOp, type Node, type SymOperand } from "@pt2/graph";
import type { ArgValue, Scalar } from "../tensor-meta.ts";
import { isScalar } from "../wrapped.ts";
import { isRuntimeScalar, RuntimeScalars } from "./runtime-scalar.ts";

/** A Python value: ints are bigints, floats are numbers. */
type PyValue = bigint | number | boolean;

/** Evaluates a node that computes a size or a number from others; returns undefined for other nodes. */
export function evaluateSymbolic(
  node: Node,
  valueOfArg: (index: number) => ArgValue,
  numbers: RuntimeScalars = new RuntimeScalars(),
): ArgValue | undefined {
  if (!/^(_operator|math|torch|builtins)::/.test(node.op)) return undefined;
  const given = node.args.flatMap(({ name }, i) => {
    const value = valueOfArg(i);
    const items = Array.isArray(value) ? (value as readonly ArgValue[]) : [value];
    return items.filter((item) => isScalar(item) || isRuntimeScalar(item)).map((item) => ({ name, item }));
  });
  const evaluate = (): Scalar | undefined => {
    const operands = given.map(({ name, item }): SymOperand<PyValue> => {
      return { name, value: toPython(isRuntimeScalar(item) ? item.number.value : item) };
    });
    const result = evaluateSymbolicOp(node.op, operands);
    return result === undefined ? undefined : fromPython(result);
  };
  if (!given.some(({ item }) => isRuntimeScalar(item)) || evaluate() === undefined) return evaluate();
  return numbers.derive(node.name, () => evaluate()!);
}

function toPython(value: ArgValue): PyValue {
  if (typeof value === "object") return value !== null && "float" in value ? value.float : Number.NaN;
  return typeof value === "number" ? BigInt(value) : (value as PyValue);
}

function fromPython(value: PyValue): Scalar {
  if (typeof value === "number") return { float: value };
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
