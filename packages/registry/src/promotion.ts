import { DTYPES, type DType } from "@pt2/format";
import { broadcastShapes } from "./broadcast.ts";
import type { ArgValue } from "./builder.ts";
import { DEFAULT_DTYPE, isFloat8, isHalf, resultType } from "./dtype-promotion.ts";
import { isRunNumber, type RunNumber } from "./lower/run-number.ts";
import type { OpRecord, Promotion } from "./op.ts";
import { registryError } from "./registry-errors.ts";
import { toFloat } from "./scalar/convert.ts";
import type { ScalarExpr } from "./scalar/expr.ts";
import type { SchemaType } from "./schema/types.ts";
import type { Scalar, TensorMeta } from "./tensor-meta.ts";
import { isTensorMeta, wrapNumber } from "./wrapped.ts";

export { computeDtype, promoteTypes, resultType } from "./dtype-promotion.ts";

/** An elementwise call with shapes and dtypes: what a backend makes a kernel from. Its result is its own meta. */
export interface ScalarCall extends TensorMeta {
  /** The promoted dtype, which says in which one `expr` is evaluated, see `typeExpr`. */
  readonly compute: DType;
  /** Numbers among the arguments are constants in it. */
  readonly expr: ScalarExpr;
  /** The tensors that `input` nodes of `expr` index; each broadcasts to `shape`. */
  readonly operands: readonly TensorMeta[];
}

/**
 * Types one call of an op that has a `scalar` rule, from its resolved arguments. `fix` is called for a number of the
 * run that the rule has to know.
 */
export function typeScalarCall(
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  fix: (number: RunNumber) => Scalar = ({ number }) => number.value,
): ScalarCall {
  const { schema, scalar } = record;
  if (scalar === undefined) {
    throw registryError("registry.rule", { what: `${record.name} is not elementwise: its record has no scalar rule` });
  }
  const promotion = promotionOf(record, args);
  const common = commonDtype(record, promotion, args);
  const operands: TensorMeta[] = [];
  const input = (tensor: TensorMeta): ScalarExpr => {
    const index = operands.push(tensor) - 1;
    if (isRunNumber(tensor)) {
      const number: ScalarExpr = { kind: "input", index, fix: () => toNumber(fix(tensor)) };
      return promotion.kind === "bool" && isHalf(common) ? { kind: "cast", to: common, x: number } : number;
    }
    const expr: ScalarExpr = { kind: "input", index };
    // A half is computed in float32, but PyTorch first converts every operand to the half.
    const rounds = isHalf(common) && tensor.dtype !== common && DTYPES[tensor.dtype].kind !== "bool";
    return rounds && promotion.kind !== "first" ? { kind: "cast", to: common, x: expr } : expr;
  };
  // The kernels of comparisons take numbers in the operands' dtype, those of arithmetic in the compute dtype.
  const literal = (value: Scalar): ScalarExpr => constant(record, value, promotion.kind === "bool" ? common : null);
  const expr = scalar(
    ...schema.args.map((arg) => {
      const value = args[arg.name] as ArgValue;
      if (isTensorMeta(value)) return value.wrapped === undefined ? input(value) : literal(value.wrapped);
      return value !== null && isNumeric(arg.type) ? literal(value as Scalar) : value;
    }),
  );
  if (isFloat8(common) && expr.kind !== "input") {
    throw registryError("registry.dtype", {
      what: `${record.name} is not computed in ${common}`,
      advice: "convert the operand to float32 before the op",
    });
  }
  const { dtype, shape } = metaOf(record, args, promotion, () => common);
  return { dtype, shape, compute: common, expr, operands };
}

/** Shape and dtype of one call of an op that has a `scalar` rule, also where the expression has no such dtype. */
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

/** Whether a call of an elementwise op reads or makes complex numbers, which scalar expressions do not have. */
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

function commonDtype(
  record: OpRecord,
  { kind, operands, result }: Promotion,
  args: Readonly<Record<string, ArgValue>>,
): DType {
  const metas: TensorMeta[] = [];
  for (const { name, type } of record.schema.args) {
    const takesPart = operands === undefined ? isTensorType(type) || name === "other" : operands.includes(name);
    const value = args[name] ?? null;
    if (takesPart && value !== null) metas.push(operandMeta(value, type));
  }
  if (metas.length === 0) return result ?? DEFAULT_DTYPE;
  if (kind === "first") return metas[0]!.dtype;
  const common = resultType(metas);
  const integral = DTYPES[common].kind !== "float" && DTYPES[common].kind !== "complex";
  return kind === "float" && integral ? DEFAULT_DTYPE : common;
}

/** A `float` argument is a Python float also where its value is whole. */
function operandMeta(value: ArgValue, type: SchemaType): TensorMeta {
  if (isTensorMeta(value)) return value;
  return wrapNumber(baseOf(type) === "float" ? { float: Number(value) } : (value as Scalar));
}

function constant(record: OpRecord, scalar: Scalar, rounded: DType | null): ScalarExpr {
  if (typeof scalar === "object" && "re" in scalar) {
    throw registryError("registry.dtype", {
      what: `${record.name}: a complex number cannot enter a scalar expression`,
    });
  }
  const value = typeof scalar === "object" ? scalar.float : scalar;
  const exact = rounded !== null && isHalf(rounded) ? toFloat(rounded, value) : value;
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
