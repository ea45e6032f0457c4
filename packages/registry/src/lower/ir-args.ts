import type { Arg, NamedArg } from "@pt2/graph";
import { argOfName } from "../schema/arg-of-name.ts";
import type { OpSchema, SchemaType } from "../schema/types.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { pythonDtype } from "../wrapped.ts";

/** The names that tensors, and numbers of earlier nodes, have in a graph. */
export interface ValueNames {
  /** Returns whether a value is one of the graph's. */
  knows(value: ArgValue): boolean;
  /** Returns its name; throws for a tensor that is not in the graph. */
  nameOf(tensor: TensorMeta): string;
}

/** Converts the arguments of a call to those of a node; None is left out where it is the default. */
export function callArgs(
  schema: OpSchema,
  args: Readonly<Record<string, ArgValue>>,
  names: ValueNames,
): readonly NamedArg[] {
  return schema.args.flatMap(({ name, type, default: fallback }) => {
    const value = args[name];
    if (value === undefined || (value === null && fallback === null)) return [];
    return [{ name, arg: irArg(value, type, names) }];
  });
}

const LAST = 2n ** 63n - 1n;
const FIRST = -(2n ** 63n);

/** Converts a value that a rule gave to an argument of the schema's type. */
export function irArg(value: ArgValue, type: SchemaType, names: ValueNames): Arg {
  if (value === null) return { kind: "none" };
  if (type.kind === "optional") return irArg(value, type.inner, names);
  if (Array.isArray(value)) {
    const inner = type.kind === "list" ? type.inner : type;
    return { kind: "list", items: (value as readonly ArgValue[]).map((item) => irArg(item, inner, names)) };
  }
  if (names.knows(value)) return { kind: "value", name: names.nameOf(value as TensorMeta) };
  const base = type.kind === "base" ? type.base : "";
  if (typeof value === "string") return argOfName(value, base);
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "int", value };
  if (typeof value === "number") return numberArg(value, base);
  if ("float" in value) return { kind: "float", value: value.float };
  if ("re" in value) return { kind: "complex", re: value.re, im: value.im };
  const { wrapped } = value as TensorMeta;
  // This throws for a tensor that was not given to the rule.
  return wrapped === undefined
    ? { kind: "value", name: names.nameOf(value as TensorMeta) }
    : irArg(wrapped, type, names);
}

function numberArg(value: number, base: string): Arg {
  // Resolved ints are saturated: an end of 2^63 - 1 became 2^53. Numbers of other types are as they were given.
  if ((base === "int" || base === "SymInt") && Number.isInteger(value) && !Number.isSafeInteger(value))
    return { kind: "int", value: value > 0 ? LAST : FIRST };
  const isFloat = base === "float" || base === "SymFloat" || pythonDtype(value) === "float64";
  return { kind: isFloat ? "float" : "int", value };
}
