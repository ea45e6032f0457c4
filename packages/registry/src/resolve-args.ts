import { DTYPES, isBeyondInt64 } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import { printType } from "./schema/print-type.ts";
import type { OpSchema, SchemaArgument, SchemaType } from "./schema/types.ts";
import type { ArgValue, Scalar } from "./tensor-meta.ts";
import { isScalar, isTensorMeta, pythonDtype, wrapNumber } from "./wrapped.ts";

/** Resolved ints are exact up to this number and saturate beyond (`slice`'s default end is 2^63 - 1). */
const INT_LIMIT = 2 ** 53;

/** Returned if an argument does not have the type. */
const MISMATCH = Symbol("mismatch");

/**
 * Returns the arguments in schema order, with the schema's defaults for missing ones and numbers in the form that the
 * schema requires. Throws `registry.argument`; `where` describes the node in the message.
 */
export function resolveArgs(
  schema: OpSchema,
  given: Readonly<Record<string, ArgValue>>,
  where?: () => string,
): Readonly<Record<string, ArgValue>> {
  const resolved: Record<string, ArgValue> = {};
  for (const arg of schema.args) {
    const value = given[arg.name] === undefined ? (arg.default as ArgValue | undefined) : given[arg.name];
    if (value === undefined) throw refusal(schema, arg, "is missing", where);
    const converted = arg.exact && typeof value === "bigint" ? value : convert(value, arg.type);
    if (converted === MISMATCH) {
      throw refusal(schema, arg, `must be ${printType(arg.type)}, not ${describeValue(value)}`, where);
    }
    resolved[arg.name] = converted;
  }
  for (const name of Object.keys(given)) {
    if (!(name in resolved)) throw refusal(schema, { name }, "is unknown", where);
  }
  return resolved;
}

function convert(value: ArgValue, type: SchemaType): ArgValue | typeof MISMATCH {
  switch (type.kind) {
    case "optional":
      return value === null ? null : convert(value, type.inner);
    case "list":
      return convertList(value, type.inner, type.size);
    case "base":
      return convertBase(value, type.base);
    default:
      return value;
  }
}

function convertList(value: ArgValue, element: SchemaType, size: number | null): ArgValue | typeof MISMATCH {
  if (Array.isArray(value)) {
    const items = (value as readonly ArgValue[]).map((item) => convert(item, element));
    return items.includes(MISMATCH) ? MISMATCH : (items as ArgValue[]);
  }
  if (size === null) return MISMATCH;
  const item = convert(value, element);
  return item === MISMATCH ? MISMATCH : new Array<ArgValue>(size).fill(item);
}

function convertBase(value: ArgValue, base: string): ArgValue | typeof MISMATCH {
  switch (base) {
    case "Tensor":
      if (isTensorMeta(value)) return value;
      return isScalar(value) && !isBeyondInt64(value) ? wrapNumber(toScalar(value)) : MISMATCH;
    case "Scalar":
    case "number":
      if (isTensorMeta(value)) return value.number === undefined ? MISMATCH : value;
      return isScalar(value) && !isBeyondInt64(value) ? toScalar(value) : MISMATCH;
    case "int":
    case "SymInt":
      return isScalar(value) ? toInt(value) : MISMATCH;
    case "float":
    case "SymFloat":
      return isScalar(value) ? toFloat(value) : MISMATCH;
    case "complex":
      return isScalar(value) ? toComplex(value) : MISMATCH;
    case "bool":
    case "SymBool":
      if (value === 0 || value === 1) return value === 1;
      return typeof value === "boolean" ? value : MISMATCH;
    case "ScalarType":
      return typeof value === "string" && Object.hasOwn(DTYPES, value) ? value : MISMATCH;
    case "str":
    case "Layout":
    case "MemoryFormat":
    case "Device":
      return typeof value === "string" ? value : MISMATCH;
    default:
      return value;
  }
}

/** Marks a number that is a float of Python as one. */
function toScalar(value: Scalar): Scalar {
  return typeof value === "number" && pythonDtype(value) === "float64" ? { float: value } : value;
}

function toInt(value: Scalar): ArgValue | typeof MISMATCH {
  if (typeof value === "object") return MISMATCH;
  const number = Number(value);
  if (Number.isInteger(number)) return Math.max(-INT_LIMIT, Math.min(INT_LIMIT, number));
  return MISMATCH;
}

function toFloat(value: Scalar): ArgValue | typeof MISMATCH {
  if (typeof value !== "object") return Number(value);
  return "float" in value ? value.float : MISMATCH;
}

function toComplex(value: Scalar): ArgValue | typeof MISMATCH {
  if (typeof value === "object" && "re" in value) return value;
  const re = toFloat(value);
  return typeof re === "number" ? { re, im: 0 } : MISMATCH;
}

function describeValue(value: ArgValue): string {
  if (value === null) return "None";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isTensorMeta(value)) return `a ${value.dtype} tensor of shape [${value.shape.join(", ")}]`;
  if (typeof value === "object") return "float" in value ? `the float ${value.float}` : "a complex number";
  if (isBeyondInt64(value)) return `the integer ${value}, which is beyond int64`;
  return typeof value === "string" ? `"${value}"` : `${value}`;
}

function refusal(
  schema: OpSchema,
  arg: Pick<SchemaArgument, "name">,
  what: string,
  where: (() => string) | undefined,
): Error {
  return registryError("registry.argument", {
    what: `${schema.name}: argument \`${arg.name}\` ${what}`,
    where: where?.(),
    advice: `its arguments are: ${schema.args.map(({ name, type }) => `${printType(type)} ${name}`).join(", ")}`,
    details: { op: schema.name, argument: arg.name },
  });
}
