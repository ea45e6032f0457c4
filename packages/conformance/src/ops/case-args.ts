import type { Arg, Layout, MemoryFormat } from "@pt2/graph";
import { numberOf } from "./case-data.ts";
import type { CaseArg } from "./case-types.ts";

/**
 * Converts a case's argument to an argument of the IR; `tensor` returns the name of the value that holds the n-th
 * tensor.
 */
export function argOf(arg: CaseArg, tensor: (index: number) => string): Arg {
  if (arg === null) return { kind: "none" };
  if (typeof arg === "boolean") return { kind: "bool", value: arg };
  if (typeof arg === "string") return { kind: "string", value: arg };
  if (typeof arg === "number") return { kind: "int", value: arg };
  if (isList(arg)) return { kind: "list", items: arg.map((item) => argOf(item, tensor)) };
  if ("tensor" in arg) return { kind: "value", name: tensor(arg.tensor) };
  if ("float" in arg) return { kind: "float", value: Number(arg.float) };
  if ("int" in arg) return { kind: "int", value: numberOf(arg) };
  if ("complex" in arg) return { kind: "complex", re: arg.complex[0], im: arg.complex[1] };
  if ("dtype" in arg) return { kind: "dtype", value: arg.dtype };
  if ("device" in arg) return { kind: "device", value: { type: arg.device, index: null } };
  if ("layout" in arg) return { kind: "layout", value: arg.layout as Layout };
  return { kind: "memory_format", value: arg.memory_format as MemoryFormat };
}

function isList(arg: CaseArg): arg is readonly CaseArg[] {
  return Array.isArray(arg);
}
