import type { Arg, Node, OpName } from "@pt2/graph";
import { parseOpName } from "@pt2/graph";
import type { HandlerFrame, HandlerTensor } from "@pt2/registry";
import type { NativeTensor, NativeValue } from "../addon.ts";
import { callOp } from "../eager/call-op.ts";
import type { OpArgs } from "../eager/op-args.ts";
import { fromNative } from "../native-failure.ts";
import { fromTensor, isNativeTensor } from "../native-tensor.ts";
import { handlerTensor, isHandlerTensor } from "./handler-tensor.ts";
import type { HostServices } from "./host-services.ts";

/**
 * Makes `frame.call` of a handler at `caller`, for whose result `depth` handlers wait: it calls any op that the program
 * could contain.
 */
export function handlerCalls(services: HostServices, caller: Node, depth: number): HandlerFrame["call"] {
  return async (name, args) => {
    const op = parseOpName(name);
    const { dispatcher } = services.router;
    if (dispatcher.has(op) && !services.router.registry.isReplaced(op)) {
      const results = await callOp(op, args as OpArgs, { addon: services.addon, dispatcher, outputs: "host" });
      return results.flat() as readonly HandlerTensor[];
    }
    await services.router.registry.load("all");
    const { node, operands } = callNode(op, args, services, caller);
    const called = services.calledNode(node);
    const results = await called.run(operands, { signal: undefined, depth: depth + 1 });
    return await Promise.all(results.flat().filter(isNativeTensor).map(toHandler));
  };
}

async function toHandler(native: NativeTensor): Promise<HandlerTensor> {
  const bytes = await native.read().catch((error: unknown) => Promise.reject(fromNative(error)));
  return handlerTensor(native, bytes);
}

/** Makes a node that calls an op on given values, with tensors as its operands. */
function callNode(
  op: OpName,
  given: Readonly<Record<string, unknown>>,
  { addon, device, router }: HostServices,
  { origin }: Node,
): { readonly node: Node; readonly operands: readonly NativeValue[] } {
  const operands: NativeTensor[] = [];
  const toArg = (value: unknown): Arg => {
    if (isHandlerTensor(value)) {
      operands.push(fromTensor(value, addon, device, `An argument of ${op}`));
      return { kind: "value", name: `x${operands.length - 1}` };
    }
    if (value === null || value === undefined) return { kind: "none" };
    if (Array.isArray(value)) return { kind: "list", items: value.map(toArg) };
    if (typeof value === "object" && "float" in value) return { kind: "float", value: Number(value.float) };
    if (typeof value === "number") return Number.isInteger(value) ? { kind: "int", value } : { kind: "float", value };
    if (typeof value === "bigint") return { kind: "int", value };
    return typeof value === "boolean" ? { kind: "bool", value } : { kind: "string", value: String(value) };
  };
  const args = Object.entries(given).map(([name, value]) => ({ name, arg: toArg(value) }));
  const returns = router.registry.resolve(op)?.schema.returns ?? [{}];
  const outputs = returns.map((_, i) => ({ kind: "value" as const, name: `y${i}` }));
  return { node: { name: "call", op, args, outputs, origin }, operands };
}
