import type { Arg, NamedArg } from "@pt2/graph";
import { type ArgValue, argOfName, type OpSchema, type SchemaType, type TensorMeta } from "@pt2/registry";
import type { ExpansionBuilder } from "./expansion-builder.ts";

/** Converts arguments of a lowered call to arguments of a node; None is left out where it is the default. */
export function callArgs(
  schema: OpSchema,
  args: Readonly<Record<string, ArgValue>>,
  builder: ExpansionBuilder,
): readonly NamedArg[] {
  return schema.args.flatMap(({ name, type, default: fallback }) => {
    const value = args[name];
    if (value === undefined || (value === null && fallback === null)) return [];
    return [{ name, arg: irArg(value, type, builder) }];
  });
}

/** Converts a value that a rule gave to an argument of the schema's type. */
export function irArg(value: ArgValue, type: SchemaType, builder: ExpansionBuilder): Arg {
  if (value === null) return { kind: "none" };
  if (type.kind === "optional") return irArg(value, type.inner, builder);
  if (Array.isArray(value)) {
    const inner = type.kind === "list" ? type.inner : type;
    return { kind: "list", items: (value as readonly ArgValue[]).map((item) => irArg(item, inner, builder)) };
  }
  if (builder.knows(value)) return { kind: "value", name: builder.nameOf(value as TensorMeta) };
  const base = type.kind === "base" ? type.base : "";
  if (typeof value === "string") return argOfName(value, base);
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "int", value };
  if (typeof value === "number") {
    return base === "float" || base === "SymFloat" ? { kind: "float", value } : { kind: "int", value };
  }
  if ("float" in value) return { kind: "float", value: value.float };
  if ("re" in value) return { kind: "complex", re: value.re, im: value.im };
  const { wrapped } = value as TensorMeta;
  // The builder throws for a tensor that was not given to the rule.
  return wrapped === undefined
    ? { kind: "value", name: builder.nameOf(value as TensorMeta) }
    : irArg(wrapped, type, builder);
}
