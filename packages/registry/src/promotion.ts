import { DTYPES, type DType } from "@pt2/format";
import { broadcastShapes } from "./broadcast.ts";
import { computeDtype, DEFAULT_DTYPE, isFloat8, isHalfPrecision, resultType } from "./dtype-promotion.ts";
import { isRuntimeScalar, type RuntimeScalar } from "./lower/runtime-scalar.ts";
import type { OpRecord, Promotion } from "./op.ts";
import { registryError } from "./registry-errors.ts";
import { toFloat } from "./scalar/convert.ts";
import type { ScalarExpr } from "./scalar/expr.ts";
import type { SchemaArgument, SchemaType } from "./schema/types.ts";
import type { ArgValue, Scalar, TensorMeta } from "./tensor-meta.ts";
import { isTensorMeta, wrapNumber } from "./wrapped.ts";

export { computeDtype, promoteTypes, resultType } from "./dtype-promotion.ts";

/**
 * An elementwise call with shapes and dtypes, from which a backend makes a kernel. The object itself is the meta of the
 * result.
 */
export interface ScalarCall extends TensorMeta {
  /**
   * The promoted dtype, in which `expr` is evaluated, see `typeExpr`; float32 if PyTorch computes a half-precision op
   * in one step that takes several steps otherwise.
   */
  readonly compute: DType;
  /** The expression; number arguments are constants in it. */
  readonly expr: ScalarExpr;
  /** The tensors that `input` nodes of `expr` refer to by index; each broadcasts to `shape`. */
  readonly operands: readonly TensorMeta[];
}

/**
 * Types one call of an op that has a `scalar` rule, from its resolved arguments. `fix` is called with each runtime
 * scalar whose value the rule reads.
 */
export function typeScalarCall(
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  fix: (number: RuntimeScalar) => Scalar = ({ number }) => number.value,
): ScalarCall {
  const { schema, scalar } = record;
  if (scalar === undefined) {
    throw registryError("registry.rule", { what: `${record.name} is not elementwise: its record has no scalar rule` });
  }
  const promotion = promotionOf(record, args);
  const common = commonDtype(record, promotion, args);
  const operands: TensorMeta[] = [];
  const input = (value: TensorMeta): ScalarExpr => {
    const index = operands.push(value) - 1;
    return isRuntimeScalar(value)
      ? { kind: "input", index, fix: () => toNumber(fix(value)) }
      : { kind: "input", index };
  };
  const expr = scalar(
    ...schema.args.map((arg) => {
      const value = args[arg.name] as ArgValue;
      const half = isHalfPrecision(common) && isRounded(arg, value, promotion) ? common : null;
      if (isTensorMeta(value)) {
        if (value.wrapped !== undefined) return constant(record, value.wrapped, half);
        const isKept = half === null || value.dtype === half || DTYPES[value.dtype].kind === "bool";
        return isKept ? input(value) : { kind: "cast", to: half, x: input(value) };
      }
      return value !== null && isNumeric(arg.type) ? constant(record, value as Scalar, half) : value;
    }),
  );
  if (isFloat8(common) && expr.kind !== "input") {
    throw registryError("registry.dtype", {
      what: `${record.name} does not support ${common}`,
      advice: "convert the operand to float32 before the op",
    });
  }
  const given = promotion.exact === undefined ? undefined : (args[promotion.exact] as ArgValue);
  const compute = isExact(given) ? computeDtype(common) : common;
  const { dtype, shape } = metaOf(record, args, promotion, () => common);
  return { dtype, shape, compute, expr, operands };
}

/** Returns whether an argument is a number or a 0-d tensor. */
function isExact(value: ArgValue | undefined): boolean {
  return value !== undefined && !(isTensorMeta(value) && value.shape.length > 0);
}

/**
 * Returns whether PyTorch's CPU kernels round an argument to the float16 or bfloat16 of the call before they compute in
 * float32: they do for arguments that take part in promotion, and for every number that is compared. Other numbers are
 * passed in float32.
 */
function isRounded(arg: SchemaArgument, value: ArgValue, promotion: Promotion): boolean {
  const { kind, exact, rounded = [] } = promotion;
  if (kind === "first") return false;
  if (exact === arg.name && isExact(value)) return false;
  return kind === "bool" || takesPart(arg, promotion) || rounded.includes(arg.name);
}

/**
 * Infers shape and dtype of one call of an op that has a `scalar` rule, even if the expression does not support the
 * dtype.
 */
export function scalarMeta(record: OpRecord, args: Readonly<Record<string, ArgValue>>): TensorMeta {
  const promotion = promotionOf(record, args);
  return metaOf(record, args, promotion, () => commonDtype(record, promotion, args));
}

function metaOf(
  { schema }: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  { kind, result }: Promotion,
  common: () => DType,
): TensorMeta {
  const shapes: (readonly number[])[] = [];
  for (const { name } of schema.args) {
    const value = args[name];
    if (isTensorMeta(value)) shapes.push(value.shape);
  }
  return { dtype: result ?? (kind === "bool" ? "bool" : common()), shape: broadcastShapes(shapes) };
}

/**
 * Returns whether a call of an elementwise op reads or returns complex numbers, which scalar expressions do not
 * support.
 */
export function isComplexCall(record: OpRecord, args: Readonly<Record<string, ArgValue>>): boolean {
  const isComplex = (value: ArgValue | undefined): boolean =>
    isTensorMeta(value)
      ? DTYPES[value.dtype].kind === "complex"
      : typeof value === "object" && value !== null && "re" in value;
  const result = promotionOf(record, args).result;
  return Object.values(args).some(isComplex) || (result !== undefined && DTYPES[result].kind === "complex");
}

function promotionOf(record: OpRecord, args: Readonly<Record<string, ArgValue>>): Promotion {
  const { promote } = record;
  return (typeof promote === "function" ? promote(args) : promote) ?? { kind: "numeric" };
}

function commonDtype(record: OpRecord, promotion: Promotion, args: Readonly<Record<string, ArgValue>>): DType {
  const { kind, result } = promotion;
  const metas: TensorMeta[] = [];
  for (const arg of record.schema.args) {
    const value = args[arg.name] ?? null;
    if (value !== null && takesPart(arg, promotion)) metas.push(operandMeta(value, arg.type));
  }
  if (metas.length === 0) return result ?? DEFAULT_DTYPE;
  if (kind === "first") return metas[0]!.dtype;
  const common = resultType(metas);
  const integral = DTYPES[common].kind !== "float" && DTYPES[common].kind !== "complex";
  return kind === "float" && integral ? DEFAULT_DTYPE : common;
}

function takesPart({ name, type }: SchemaArgument, { operands }: Promotion): boolean {
  return operands === undefined ? isTensorType(type) || name === "other" : operands.includes(name);
}

/** A `float` argument is a Python float even if its value is integral. */
function operandMeta(value: ArgValue, type: SchemaType): TensorMeta {
  if (isTensorMeta(value)) return value;
  return wrapNumber(baseOf(type) === "float" ? { float: Number(value) } : (value as Scalar));
}

function constant(record: OpRecord, scalar: Scalar, rounded: DType | null): ScalarExpr {
  if (typeof scalar === "object" && "re" in scalar) {
    throw registryError("registry.dtype", {
      what: `${record.name}: a scalar expression cannot contain a complex number`,
    });
  }
  const value = typeof scalar === "object" ? scalar.float : scalar;
  const exact = rounded !== null && isHalfPrecision(rounded) ? toFloat(rounded, value) : value;
  return { kind: "const", value: exact };
}

function toNumber(value: Scalar): number {
  return typeof value === "object" ? ("float" in value ? value.float : Number.NaN) : Number(value);
}

function baseOf(type: SchemaType): string {
  return type.kind === "base" ? type.base : type.kind === "optional" ? baseOf(type.inner) : "";
}

function isTensorType(type: SchemaType): boolean {
  return baseOf(type) === "Tensor";
}

const NUMERIC: ReadonlySet<string> = new Set(["Scalar", "number", "float", "SymFloat", "int", "SymInt"]);

function isNumeric(type: SchemaType): boolean {
  return NUMERIC.has(baseOf(type));
}
