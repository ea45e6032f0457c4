import type { Arg, Node } from "@pt2/graph";
import { broadcastShapes } from "../broadcast.ts";
import { resolveArgs } from "../op-registry.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta, wrapNumber } from "../wrapped.ts";
import { argValue, describe, type Environment, namedArgs } from "./arguments.ts";
import type { Call, LoweredNode } from "./call.ts";
import { requireArgumentValues } from "./check-arguments.ts";
import { type TypedCall, typedCall } from "./elementwise.ts";
import { requireFits } from "./in-place-problem.ts";
import { isNativeIfLoaded } from "./is-native.ts";
import { located } from "./located.ts";
import { isTensor, type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import type { Lowering } from "./lowering.ts";
import { isFree, named } from "./results.ts";
import { isRuntimeScalar, type RuntimeScalars } from "./runtime-scalar.ts";
import { isSame } from "./same-calls.ts";

type Lowered = Pick<LoweredNode, "calls" | "results">;

/**
 * Returns what a node of PyTorch's comes to for other values of its arguments that came to one call of its own op, or to
 * sizes alone; null where it may come to something else. It looks at no more than what other sizes can change: code that
 * runs once for each size is never optimized.
 */
export function lowerAgain(before: LoweredNode, env: Environment, lowering: Lowering): Lowered | null {
  const { node, calls, results } = before;
  const [call] = calls;
  if (call === undefined) return sizesAgain(node, env, lowering);
  if (calls.length > 1 || call.record.name !== node.op || call.results !== results || call.packaged) return null;
  return callAgain(call, env, lowering);
}

function callAgain(call: Call, env: Environment, lowering: Lowering): Lowered | null {
  const { record, kind, node } = call;
  const { emitter, numbers, options } = lowering;
  if (record.dynamic !== undefined || record.compute !== undefined) return null;
  const args = argsAgain(call, env);
  if (args === null) return null;
  return located(node, () => {
    requireArgumentValues(record, args, node);
    if (kind === "native" && !isNativeIfLoaded(options.target, node.op, args)) return null;
    const scalar = kind === "scalar" ? scalarAgain(call, args, numbers) : undefined;
    const results = namedResults(scalar === undefined ? emitter.infer(record, args, node) : [scalar], node, lowering);
    if (node.written !== undefined) requireFits(results[0], record, args, node);
    return { calls: [{ ...call, args, ...(scalar && { scalar }), results }], results };
  });
}

/** Returns the sizes that a node comes to; null where it does something else. */
function sizesAgain(node: Node, env: Environment, lowering: Lowering): Lowered | null {
  const record = lowering.options.registry.resolve(node.op);
  if (record === undefined || !isFree(record)) return null;
  if (record.dynamic !== undefined || record.compute !== undefined) return null;
  const given = namedArgs(node, env);
  if (Object.values(given).some((value) => tensorsIn(value).some(isRuntimeScalar))) return null;
  return located(node, () => {
    const args = resolveArgs(record.schema, given, () => describe(node));
    requireArgumentValues(record, args, node);
    return { calls: [], results: namedResults(lowering.emitter.infer(record, args, node), node, lowering) };
  });
}

function namedResults(
  results: readonly ArgValue[],
  node: Node,
  { options: { target } }: Lowering,
): readonly ArgValue[] {
  return named(results, target.maxTensorBytes ?? Number.MAX_SAFE_INTEGER, node.op, node, 0);
}

/**
 * Returns the resolved arguments of a node's call for other values, from the previous ones; null where they have to be
 * resolved by the schema. Only tensors and sizes can be others.
 */
function argsAgain({ args, node }: Call, env: Environment): Call["args"] | null {
  const now: Record<string, ArgValue> = {};
  for (const [name, known] of Object.entries(args)) {
    const given = argumentOf(node, name);
    const value = given === undefined ? known : valueAgain(given, known, env, node);
    if (value === undefined) return null;
    now[name] = value;
  }
  return now;
}

/** Returns the typed call for other values of its arguments. Its expression is the previous one unless numbers differ. */
function scalarAgain({ record, scalar, args: before }: Call, args: Call["args"], { fix }: RuntimeScalars): TypedCall {
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
