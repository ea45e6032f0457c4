import type { DType } from "@pt2/format";
import type { BinaryFn, UnaryFn } from "@pt2/registry/scalar";
import { f32Literal } from "./literal.ts";
import { computeType, fitExpr } from "./storage.ts";
import { hasHelper } from "./with-helpers.ts";

type Spelling = (x: string, y: string) => string;

const operator =
  (symbol: string): Spelling =>
  (x, y) =>
    `(${x} ${symbol} ${y})`;
const call =
  (name: string): Spelling =>
  (x) =>
    `${name}(${x})`;

const FLOAT_UNARY: { readonly [F in UnaryFn]?: Spelling } = {
  neg: (x) => `(-${x})`,
  abs: call("abs"),
  ceil: call("ceil"),
  floor: call("floor"),
  trunc: call("trunc"),
  round: call("round"),
  sqrt: call("sqrt"),
  isnan: call("is_nan"),
  isinf: call("is_inf"),
};

const MINUS_ZERO = f32Literal(-0);

function zeroTimes(x: string, y: string): string | null {
  return x === "0f" ? `zero_times_f32(${y})` : x === MINUS_ZERO ? `(-zero_times_f32(${y}))` : null;
}

/** Expressions that compilers would simplify as if there were no NaN and no infinity, in a form that they keep. */
const GUARDED: { readonly [F in BinaryFn]?: (x: string, y: string) => string | null } = {
  ne: (x, y) => `(!(${x} == ${y}))`,
  mul: (x, y) => zeroTimes(x, y) ?? zeroTimes(y, x),
  sub: (x, y) => (x === y ? `abs(zero_times_f32(${x}))` : null),
  div: (x, y) => {
    if (x === "0f") return `zero_over_f32(${y})`;
    if (y === "0f") return `over_zero_f32(${x})`;
    return y === MINUS_ZERO ? `(-over_zero_f32(${x}))` : null;
  },
};

const INTEGER_UNARY: { readonly [F in UnaryFn]?: Spelling } = {
  neg: (x) => `(0 - ${x})`,
  abs: call("abs"),
  not: (x) => `(~${x})`,
};

const OPERATORS: { readonly [F in BinaryFn]?: string } = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  and: "&",
  or: "|",
  xor: "^",
};

/** Bools have no order in WGSL. */
const ON_BOOLS: { readonly [F in BinaryFn]?: Spelling } = {
  and: operator("&&"),
  or: operator("||"),
  xor: operator("!="),
  eq: operator("=="),
  ne: operator("!="),
  lt: (x, y) => `(!${x} && ${y})`,
  le: (x, y) => `(!${x} || ${y})`,
  gt: (x, y) => `(${x} && !${y})`,
  ge: (x, y) => `(${x} || !${y})`,
};

/** Integer functions whose result is always in the range of the operands' dtype. */
const CLOSED: ReadonlySet<UnaryFn | BinaryFn> = new Set([
  "sign",
  "fmod",
  "mod",
  "min",
  "max",
  "and",
  "or",
  "xor",
  "shr",
]);

/** Returns the WGSL of a function of one operand of a dtype. */
export function unaryExpr(fn: UnaryFn, dtype: DType, x: string): string {
  const type = computeType(dtype);
  if (type === "bool") return `(!${x})`;
  if (type === "f32") return (FLOAT_UNARY[fn] ?? call(`${fn}_f32`))(x, "");
  if (fn === "sign") return type === "u32" ? `min(${x}, 1u)` : `sign(${x})`;
  return fitExpr(dtype, (INTEGER_UNARY[fn] as Spelling)(x, ""));
}

/** Returns the WGSL of a function of two operands of a dtype. */
export function binaryExpr(fn: BinaryFn, dtype: DType, x: string, y: string): string {
  const type = computeType(dtype);
  if (type === "bool") return (ON_BOOLS[fn] as Spelling)(x, y);
  if (type === "vec2<f32>") return fn === "mul" ? `mul_complex(${x}, ${y})` : `(${x} ${OPERATORS[fn]} ${y})`;
  const guarded = type === "f32" ? GUARDED[fn]?.(x, y) : null;
  if (guarded) return guarded;
  const helper = `${fn}_${type}`;
  const symbol = OPERATORS[fn];
  const code = hasHelper(helper)
    ? `${helper}(${x}, ${y})`
    : symbol === undefined
      ? `${fn}(${x}, ${y})`
      : `(${x} ${symbol} ${y})`;
  return type === "f32" || CLOSED.has(fn) || COMPARISON.test(fn) ? code : fitExpr(dtype, code);
}

const COMPARISON = /^(eq|ne|lt|le|gt|ge)$/;
