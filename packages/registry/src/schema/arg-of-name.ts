import type { DType } from "@pt2/format";
import type { Arg, Layout, MemoryFormat } from "@pt2/graph";

/** Converts a string to an argument of a graph, by the base type in the schema: a dtype, a device, plain text, … */
export function argOfName(value: string, base: string): Arg {
  switch (base) {
    case "ScalarType":
      return { kind: "dtype", value: value as DType };
    case "Layout":
      return { kind: "layout", value: value as Layout };
    case "MemoryFormat":
      return { kind: "memory_format", value: value as MemoryFormat };
    case "Device": {
      const [type = "cpu", index] = value.split(":");
      return { kind: "device", value: { type, index: index === undefined ? null : Number(index) } };
    }
    default:
      return { kind: "string", value };
  }
}
