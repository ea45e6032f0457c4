import type { Device, TensorType, ValueType } from "../ir.ts";
import { contiguousStrides } from "../strides.ts";
import { sameExpr, toExpr } from "../sym/make-expr.ts";
import { printSym } from "../sym/print-expr.ts";
import type { SymInt } from "../sym/sym-expr.ts";
import { printName, shortDType } from "./short-names.ts";

/** Prints a type: `f32[2, s0]`, with unusual properties in braces, `int(s0 + 1)`, `object "Class"`. */
export function printType(type: ValueType): string {
  switch (type.kind) {
    case "tensor":
      return `${shortDType(type.dtype)}${printSizes(type.shape)}${printUnusual(type)}`;
    case "symint":
      return type.value === null ? "int" : `int(${printSym(type.value)})`;
    case "symfloat":
      return type.value === null ? "float" : `float(${printSym(type.value)})`;
    case "symbool":
      return type.value === null ? "bool" : `bool(${printSym(type.value)})`;
    case "object":
      return `object ${JSON.stringify(type.className)}`;
  }
}

/** Prints `cpu`, `cuda:0`. */
export function printDevice({ type, index }: Device): string {
  return index === null ? printName(type) : `${printName(type)}:${index}`;
}

function printSizes(sizes: readonly SymInt[]): string {
  return `[${sizes.map(printSym).join(", ")}]`;
}

/** Prints unusual properties: contiguous strides, offset 0, the CPU and no gradient are omitted. */
function printUnusual(type: TensorType): string {
  const dense = contiguousStrides(type.shape);
  const usual = type.strides.length === dense.length && type.strides.every((s, i) => same(s, dense[i]!));
  const parts = [
    usual ? "" : `strides=${printSizes(type.strides)}`,
    type.storageOffset === 0 ? "" : `offset=${printSym(type.storageOffset)}`,
    type.device.type === "cpu" && type.device.index === null ? "" : `device=${printDevice(type.device)}`,
    type.requiresGrad ? "grad" : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `{${parts.join(", ")}}`;
}

/** Compares written forms, so that parsing returns the same type. */
function same(a: SymInt, b: SymInt): boolean {
  return typeof a === typeof b && sameExpr(toExpr(a), toExpr(b));
}
