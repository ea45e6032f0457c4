import type { Tensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type Complex, type FloatScalar, type OpSchema, type SchemaType, wrapNumber } from "@pt2/registry";
import type { Addon, NativeArg, NativeArgValue, NativeTensor } from "../addon.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromTensor } from "../native-tensor.ts";

/**
 * An argument of an op. An integral number is a Python int where the schema leaves that open; `{ float: 2 }` is a float, and what
 * is beyond int64.
 */
export type OpValue = Tensor | number | bigint | boolean | string | null | FloatScalar | Complex | readonly OpValue[];

/** Arguments by position, or by the names of the op's schema; those that are left out have their defaults. */
export type OpArgs = Readonly<Record<string, OpValue | undefined>> | readonly OpValue[];

/** A result of an op: what it returns, integers as numbers where these hold them. */
export type OpResult = Tensor | number | bigint | boolean | string | null | Complex | readonly OpResult[];

/** What the conversion of arguments needs. */
export interface ArgTarget {
  readonly addon: Pick<Addon, "storage" | "tensor">;
  readonly device: string;
  /** Is given each tensor that was made for the call. */
  readonly onCopy: (copy: NativeTensor) => void;
}

/** Converts arguments to those of the native module. */
export function nativeArgs(schema: OpSchema, args: OpArgs, target: ArgTarget): readonly NativeArg[] {
  const named = isList(args) ? byPosition(schema, args) : Object.entries(args);
  return named.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const type = schema.args.find((arg) => arg.name === name)?.type;
    if (type === undefined) throw unknown(schema, name);
    return [{ name, value: nativeValue(value, type, target, `Argument \`${name}\` of ${schema.name}`) }];
  });
}

function byPosition(schema: OpSchema, args: readonly OpValue[]): readonly (readonly [string, OpValue])[] {
  return args.map((value, i) => {
    const arg = schema.args[i];
    if (arg === undefined) throw unknown(schema, String(i));
    return [arg.name, value];
  });
}

function nativeValue(value: OpValue, type: SchemaType, target: ArgTarget, what: string): NativeArgValue {
  if (value === null) return { kind: "none" };
  if (type.kind === "optional") return nativeValue(value, type.inner, target, what);
  if (isList(value)) {
    const inner = type.kind === "list" ? type.inner : type;
    return { kind: "list", items: value.map((item) => nativeValue(item, inner, target, what)) };
  }
  const base = type.kind === "base" ? type.base : "";
  switch (typeof value) {
    case "string":
      return enumValue(value, base);
    case "boolean":
      return { kind: "bool", value };
    case "bigint":
      return { kind: "int", value };
    case "number":
      return /^(Sym)?[fF]loat$/.test(base) || wrapNumber(value).dtype === "float64"
        ? { kind: "float", value }
        : { kind: "int", value };
    default:
      if ("float" in value) return { kind: "float", value: value.float };
      if ("re" in value) return { kind: "complex", re: value.re, im: value.im };
      return { kind: "tensor", tensor: fromTensor(value, target.addon, target.device, what, target.onCopy) };
  }
}

function enumValue(value: string, base: string): NativeArgValue {
  switch (base) {
    case "ScalarType":
      return { kind: "dtype", value: value as DType };
    case "Device":
      return { kind: "device", value };
    case "Layout":
      return { kind: "layout", value };
    case "MemoryFormat":
      return { kind: "memory_format", value };
    default:
      return { kind: "string", value };
  }
}

function isList<T>(value: unknown | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function unknown(schema: OpSchema, name: string): Error {
  return libtorchError("libtorch.argument", {
    what: `${schema.name} has no argument ${name}`,
    advice: `its arguments are: ${schema.args.map((arg) => arg.name).join(", ")}`,
    details: { op: schema.name, argument: name },
  });
}
