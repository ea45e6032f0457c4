import { type OpName, parseOpName } from "@pt2/graph";
import type { OpSchema } from "@pt2/registry";
import type { Addon, NativeArg, NativeTensor, NativeValue } from "../addon.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromNative, located } from "../native-failure.ts";
import { isNativeTensor, type Outputs, toTensor, toTensorSync } from "../native-tensor.ts";
import { nativeArgs, type OpArgs, type OpResult } from "./op-args.ts";

/** What a call of a single op needs. */
export interface OpCaller {
  readonly addon: Pick<Addon, "storage" | "tensor" | "call" | "callSync">;
  readonly dispatcher: Dispatcher;
  readonly outputs: Outputs;
}

/** Runs an op of the dispatcher off the calling thread, and returns one entry per return. */
export async function callOp(name: OpName, args: OpArgs, caller: OpCaller): Promise<readonly OpResult[]> {
  const { op, given, free } = prepared(name, args, caller);
  const results = await caller.addon
    .call(op, given)
    .catch((error: unknown) => Promise.reject(fromNative(error)))
    .finally(free);
  return await Promise.all(results.map((result) => toResult(result, caller.outputs)));
}

/** Runs an op as {@link callOp} does, on the calling thread. */
export function callOpSync(name: OpName, args: OpArgs, caller: OpCaller): readonly OpResult[] {
  const { op, given, free } = prepared(name, args, caller);
  try {
    return located(() => caller.addon.callSync(op, given)).map((result) => toResultSync(result, caller.outputs));
  } finally {
    free();
  }
}

interface Prepared {
  readonly op: OpName;
  readonly given: readonly NativeArg[];
  /** Frees the copies of arguments: those of a loop without turns of the event loop are not collected before its end. */
  readonly free: () => void;
}

function prepared(name: OpName, args: OpArgs, { addon, dispatcher }: OpCaller): Prepared {
  const op = parseOpName(name);
  const copies: NativeTensor[] = [];
  const free = (): void => {
    for (const copy of copies) copy.dispose();
  };
  const target = { addon, device: dispatcher.device, onCopy: (copy: NativeTensor) => void copies.push(copy) };
  try {
    return { op, given: nativeArgs(schemaOf(op, dispatcher), args, target), free };
  } catch (error) {
    free();
    throw error;
  }
}

function schemaOf(op: OpName, dispatcher: Dispatcher): OpSchema {
  const schema = dispatcher.schema(op);
  if (schema !== null) return schema;
  throw libtorchError("libtorch.no-op", {
    what: `libtorch has no op ${op}`,
    advice: "Check the name, written ns::op.overload; an op of a library needs loadLibrary(path) first.",
    details: { op },
  });
}

async function toResult(value: NativeValue, outputs: Outputs): Promise<OpResult> {
  if (isNativeTensor(value)) return await toTensor(value, outputs);
  return isList(value) ? await Promise.all(value.map((item) => toResult(item, outputs))) : toScalar(value);
}

function toResultSync(value: NativeValue, outputs: Outputs): OpResult {
  if (isNativeTensor(value)) return toTensorSync(value, outputs);
  return isList(value) ? value.map((item) => toResultSync(item, outputs)) : toScalar(value);
}

function isList(value: NativeValue): value is readonly NativeValue[] {
  return Array.isArray(value);
}

function toScalar(value: Exclude<NativeValue, readonly NativeValue[]>): OpResult {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return value as OpResult;
}
