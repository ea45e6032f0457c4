import type { LeafType } from "@pt2/runtime";
import { stringLiteral } from "./quote.ts";

/** Whether a type is one of arguments or of results. */
export type Direction = "input" | "output";

/** Writes the TypeScript type of one leaf. */
export function leafType(type: LeafType, direction: Direction): string {
  switch (type.kind) {
    case "tensor": {
      const sizes = type.shape.map((size) => (typeof size === "number" ? String(size) : stringLiteral(size)));
      const generic = direction === "input" ? "TensorInput" : "TensorOutput";
      return `${generic}<${stringLiteral(type.dtype)}, [${sizes.join(", ")}]>`;
    }
    case "int":
      return "number | bigint";
    case "float":
      return "number";
    case "bool":
      return "boolean";
    case "constant":
      return constantType(type.value, direction);
    case "object":
      return "unknown";
  }
}

/** Writes the type of a constant; an argument that was fixed at export may also be null. */
function constantType(value: number | bigint | boolean | string | null, direction: Direction): string {
  if (value === null) return "null";
  const literal = literalType(value);
  return direction === "input" ? `${literal} | null` : literal;
}

function literalType(value: number | bigint | boolean | string): string {
  if (typeof value === "string") return stringLiteral(value);
  if (typeof value === "bigint") return "number | bigint";
  // No literal type stands for a NaN or an infinity.
  return typeof value === "number" && !Number.isFinite(value) ? "number" : String(value);
}
