import type { Arg, Node } from "@pt2/graph";
import { broadcastShapes } from "../broadcast.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta, wrapNumber } from "../wrapped.ts";
import { argValue, type Environment } from "./arguments.ts";
import type { Call } from "./call.ts";
import { type TypedCall, typedCall } from "./elementwise.ts";
import { isTensor, type LoweredTensor } from "./lowered-tensor.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";
import { isSame } from "./same-calls.ts";

type FixNumber = Parameters<typeof typedCall>[2];

/**
 * Returns the resolved arguments of a node's call for other values, from those of before; null where they have to be
 * resolved by the schema. Only tensors and sizes can be others.
 */
export function argsAgain({ args, node }: Call, env: Environment): Call["args"] | null {
  const now: Record<string, ArgValue> = {};
  for (const [name, known] of Object.entries(args)) {
    const given = argumentOf(node, name);
    const value = given === undefined ? known : valueAgain(given, known, env, node);
    if (value === undefined) return null;
    now[name] = value;
  }
  return now;
}

/** Returns the typed call for other values of its arguments. Its expression is that of before unless numbers are others. */
export function scalarAgain({ record, scalar, args: before }: Call, args: Call["args"], fix: FixNumber): TypedCall {
  const shapes: (readonly number[])[] = [];
  const operands = new Map<LoweredTensor, LoweredTensor>();
  // A function may look at sizes.
  let isSameType = typeof record.promote !== "function";
  for (const [name, known] of Object.entries(before)) {
    const value = args[name]!;
    if (isTensorMeta(value)) shapes.push(value.shape);
    if (isTensor(known)) {
      const tensor = value as LoweredTensor;
      // A tensor without dimensions is promoted as a number is.
      isSameType &&= tensor.dtype === known.dtype && (tensor.shape.length === 0) === (known.shape.length === 0);
      operands.set(known, tensor);
    } else isSameType &&= value === known || isSame(value, known);
  }
  if (!isSameType) return typedCall(record, args, fix);
  const { dtype, expr, operands: known } = scalar!;
  return { dtype, shape: broadcastShapes(shapes), expr, operands: known.map((operand) => operands.get(operand)!) };
}

function argumentOf({ args }: Node, name: string): Arg | undefined {
  for (const given of args) if (given.name === name) return given.arg;
  return undefined;
}

/** Returns what an argument is now, resolved as `known` is; undefined where that takes its type. */
function valueAgain(arg: Arg, known: ArgValue, env: Environment, node: Node): ArgValue | undefined {
  if (arg.kind === "list") {
    const items: ArgValue[] = [];
    if (!Array.isArray(known) || known.length !== arg.items.length) return undefined;
    for (const [i, item] of arg.items.entries()) {
      const value = valueAgain(item, known[i] as ArgValue, env, node);
      if (value === undefined) return undefined;
      items.push(value);
    }
    return items;
  }
  if (arg.kind !== "value") return known;
  const value = argValue(arg, env, node);
  if (isTensor(value)) return isTensor(known) && !isRuntimeScalar(value) && !isRuntimeScalar(known) ? value : undefined;
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return undefined;
    if (isTensorMeta(known)) return typeof known.wrapped === "number" ? wrapNumber(value) : undefined;
    return typeof known === "number" ? value : undefined;
  }
  return isSame(value, known) ? known : undefined;
}
