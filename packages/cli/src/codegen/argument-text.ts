import type { Arg } from "@pt2/graph";
import type { SchemaType } from "@pt2/registry";
import { stringLiteral } from "../declare/quote.ts";

/**
 * Writes an argument of a node as an argument of an eager call. `nameOf` returns what stands for a value. Returns
 * undefined for what eager calls do not take.
 */
export function argumentText(
  arg: Arg,
  type: SchemaType | undefined,
  nameOf: (value: string) => string,
): string | undefined {
  switch (arg.kind) {
    case "none":
      return "null";
    case "value":
      return nameOf(arg.name);
    case "int":
      return typeof arg.value === "bigint" ? `${arg.value}n` : String(arg.value);
    case "float":
      return floatText(arg.value, takesScalar(type));
    case "bool":
      return String(arg.value);
    case "complex":
      return `{ re: ${floatText(arg.re, false)}, im: ${floatText(arg.im, false)} }`;
    case "device":
      return stringLiteral(arg.value.type);
    case "string":
    case "dtype":
    case "layout":
    case "memory_format":
      return stringLiteral(arg.value);
    case "list": {
      const inner = type?.kind === "optional" ? type.inner : type;
      const items = arg.items.map((item) =>
        argumentText(item, inner?.kind === "list" ? inner.inner : undefined, nameOf),
      );
      return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
    }
    default:
      return undefined;
  }
}

/** Writes a Python float. Where an argument may be an int too, `2` would be one. */
function floatText(value: number, mayBeInt: boolean): string {
  if (Number.isNaN(value)) return "Number.NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Number.POSITIVE_INFINITY" : "Number.NEGATIVE_INFINITY";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return mayBeInt && Number.isInteger(value) ? `{ float: ${text} }` : text;
}

/** Whether an argument may be an int or a float, which give other results; a number may stand for a tensor. */
export function takesScalar(type: SchemaType | undefined): boolean {
  if (type === undefined) return false;
  if (type.kind === "optional" || type.kind === "list") return takesScalar(type.inner);
  return type.kind === "base" && ["Scalar", "number", "Tensor"].includes(type.base);
}
