import type { Arg, Node } from "@pt2/graph";
import { broadcastShapes } from "../broadcast.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { argValue, type Environment } from "./arguments.ts";
import type { Call } from "./call.ts";
import type { TypedCall } from "./elementwise.ts";
import { isTensor, type LoweredTensor } from "./lowered-tensor.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";
import { isSame } from "./same-calls.ts";

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

/** Returns the typed call for other sizes of its operands; null where its numbers or dtypes may be others. */
export function scalarAgain({ record, scalar, args: before }: Call, args: Call["args"]): TypedCall | null {
  // A function may look at sizes.
  if (typeof record.promote === "function") return null;
  const shapes: (readonly number[])[] = [];
  const operands = new Map<LoweredTensor, LoweredTensor>();
  for (const [name, known] of Object.entries(before)) {
    const value = args[name]!;
    if (isTensorMeta(value)) shapes.push(value.shape);
    if (!isTensor(known)) {
      if (!isSame(value, known)) return null;
      continue;
    }
    // A tensor without dimensions is promoted as a number is.
    const tensor = value as LoweredTensor;
    if (tensor.dtype !== known.dtype || (tensor.shape.length === 0) !== (known.shape.length === 0)) return null;
    operands.set(known, tensor);
  }
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
  if (typeof value === "number") return typeof known === "number" && Number.isSafeInteger(value) ? value : undefined;
  return isSame(value, known) ? known : undefined;
}
