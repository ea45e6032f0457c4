import { Tensor } from "@pt2/backend";
import type { Complex, FloatScalar } from "@pt2/registry";
import type { NumberArgument } from "./argument-types.ts";

/** Returns whether a value is a tensor of any backend, also one whose class is of another copy of `@pt2/backend`. */
export function isTensor(value: unknown): value is Tensor {
  if (value instanceof Tensor) return true;
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value && "readBytes" in value;
}

/** Returns whether a value is a number of Python. */
export function isNumber(value: unknown): value is NumberArgument {
  return ["number", "bigint", "boolean"].includes(typeof value) || isFloat(value) || isComplex(value);
}

/** Returns whether a value is written as a float of Python, `{ float: 2 }`. */
export function isFloat(value: unknown): value is FloatScalar {
  return typeof value === "object" && value !== null && "float" in value && typeof value.float === "number";
}

/** Returns whether a value is a complex number, `{ re: 1, im: -1 }`. */
export function isComplex(value: unknown): value is Complex {
  return typeof value === "object" && value !== null && "re" in value && "im" in value;
}

/** Returns whether the last argument of a call is its keyword arguments: an object that is no other argument. */
export function isKeywords(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || isTensor(value) || isNumber(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Describes a value that was given, for messages. */
export function describeGiven(value: unknown): string {
  if (isTensor(value)) return `a ${value.dtype} tensor of shape [${value.shape.join(", ")}]`;
  if (isFloat(value)) return `the float ${value.float}`;
  if (isComplex(value)) return "a complex number";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Promise) return "a Promise, which has to be awaited";
  return typeof value === "object" && value !== null ? classOf(value) : String(value);
}

/** The class of an object, such as a typed array: `tensor(array)` makes a tensor of it. */
function classOf(value: object): string {
  const name = value.constructor?.name ?? "Object";
  return name === "Object" ? "an object" : `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
}
