import { registryError } from "../registry-errors.ts";
import { scalar as s } from "./build.ts";
import type { BinaryFn, ScalarExpr, UnaryFn } from "./expr.ts";

const zero = s.lit(0);
const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/**
 * Returns the derivative of an expression with respect to one of its nodes, as an expression of the same operands: of an
 * input, wherever it occurs, or of any other node, such as an operand that is converted before it is used.
 *
 * At kinks it is PyTorch's: abs and relu have 0 at 0, equal operands of min or max share the gradient, and a constant
 * bound passes the gradient at the bound (`clamp`) unless it is the first operand (`relu`, `hardtanh`). Throws
 * `registry.scalar-gradient` for a function without a derivative rule.
 */
export function differentiate(expr: ScalarExpr, of: ScalarExpr): ScalarExpr {
  const memo = new Map<ScalarExpr, ScalarExpr>();
  const d = (node: ScalarExpr): ScalarExpr => {
    const known = memo.get(node);
    if (known) return known;
    const made = isSame(node, of) ? s.lit(1) : derive(node, d);
    memo.set(node, made);
    return made;
  };
  return d(expr);
}

function isSame(node: ScalarExpr, of: ScalarExpr): boolean {
  return node === of || (node.kind === "input" && of.kind === "input" && node.index === of.index);
}

function derive(node: ScalarExpr, d: (x: ScalarExpr) => ScalarExpr): ScalarExpr {
  switch (node.kind) {
    case "input":
    case "const":
      return zero;
    case "cast":
      return d(node.x) === zero ? zero : s.cast(node.to, d(node.x));
    case "select": {
      const [dx, dy] = [d(node.x), d(node.y)];
      return isZero(dx) && isZero(dy) ? zero : s.select(node.c, dx, dy);
    }
    case "unary": {
      const dx = d(node.x);
      return isZero(dx) ? zero : times(dx, unaryRule(node.fn, node.x, node));
    }
    case "binary": {
      const [dx, dy] = [d(node.x), d(node.y)];
      if (isZero(dx) && isZero(dy)) return zero;
      const [px, py] = binaryRule(node.fn, node.x, node.y, node);
      return plus(isZero(dx) ? zero : times(dx, px()), isZero(dy) ? zero : times(dy, py()));
    }
  }
}

const isConst = (x: ScalarExpr, value: number): boolean => x.kind === "const" && x.value === value;
const isZero = (x: ScalarExpr): boolean => isConst(x, 0);
const times = (x: ScalarExpr, y: ScalarExpr): ScalarExpr =>
  isZero(x) || isZero(y) ? zero : isConst(x, 1) ? y : isConst(y, 1) ? x : s.mul(x, y);
const plus = (x: ScalarExpr, y: ScalarExpr): ScalarExpr => (isZero(x) ? y : isZero(y) ? x : s.add(x, y));

/** Returns f'(x), where y is f(x). */
function unaryRule(fn: UnaryFn, x: ScalarExpr, y: ScalarExpr): ScalarExpr {
  const rule = UNARY_RULES[fn];
  if (rule === undefined) throw noRule(fn);
  return rule(x, y);
}

const none = (): ScalarExpr => zero;

const UNARY_RULES: { readonly [F in UnaryFn]?: (x: ScalarExpr, y: ScalarExpr) => ScalarExpr } = {
  neg: () => s.lit(-1),
  abs: (x) => s.sign(x),
  sign: none,
  ceil: none,
  floor: none,
  trunc: none,
  round: none,
  not: none,
  isnan: none,
  isinf: none,
  sqrt: (_, y) => s.div(0.5, y),
  exp: (_, y) => y,
  exp2: (_, y) => s.mul(y, Math.LN2),
  expm1: (_, y) => s.add(y, 1),
  log: (x) => s.reciprocal(x),
  log2: (x) => s.reciprocal(s.mul(x, Math.LN2)),
  log10: (x) => s.reciprocal(s.mul(x, Math.LN10)),
  log1p: (x) => s.reciprocal(s.add(x, 1)),
  sin: (x) => s.cos(x),
  cos: (x) => s.neg(s.sin(x)),
  tan: (_, y) => s.add(s.square(y), 1),
  asin: (x) => s.rsqrt(s.sub(1, s.square(x))),
  acos: (x) => s.neg(s.rsqrt(s.sub(1, s.square(x)))),
  atan: (x) => s.reciprocal(s.add(s.square(x), 1)),
  sinh: (x) => s.cosh(x),
  cosh: (x) => s.sinh(x),
  tanh: (_, y) => s.sub(1, s.square(y)),
  asinh: (x) => s.rsqrt(s.add(s.square(x), 1)),
  acosh: (x) => s.rsqrt(s.sub(s.square(x), 1)),
  atanh: (x) => s.reciprocal(s.sub(1, s.square(x))),
  erf: (x) => s.mul(TWO_OVER_ROOT_PI, s.exp(s.neg(s.square(x)))),
  erfc: (x) => s.mul(-TWO_OVER_ROOT_PI, s.exp(s.neg(s.square(x)))),
  erfinv: (_, y) => s.mul(1 / TWO_OVER_ROOT_PI, s.exp(s.square(y))),
  lgamma: (x) => s.digamma(x),
};

type Partials = readonly [() => ScalarExpr, () => ScalarExpr];

/** Returns functions for the partial derivatives; each is called only if gradient flows into its operand. */
function binaryRule(fn: BinaryFn, x: ScalarExpr, y: ScalarExpr, z: ScalarExpr): Partials {
  const one = (): ScalarExpr => s.lit(1);
  switch (fn) {
    case "add":
      return [one, one];
    case "sub":
      return [one, () => s.lit(-1)];
    case "mul":
      return [() => y, () => x];
    case "div":
      return [() => s.reciprocal(y), () => s.neg(s.div(z, y))];
    case "pow":
      return [
        () => (isZero(y) ? zero : s.select(s.eq(y, 0), 0, s.mul(y, s.pow(x, s.sub(y, 1))))),
        () => s.select(s.and(s.eq(x, 0), s.ge(y, 0)), 0, s.mul(z, s.log(x))),
      ];
    case "atan2": {
      const square = s.add(s.square(x), s.square(y));
      const over = (part: ScalarExpr): ScalarExpr => s.select(s.eq(square, 0), 0, s.div(part, square));
      return [() => over(y), () => s.neg(over(x))];
    }
    case "hypot":
      return [() => s.div(x, z), () => s.div(y, z)];
    case "min":
      return [() => share(s.lt, x, y, 1), () => share(s.lt, y, x, 0)];
    case "max":
      return [() => share(s.gt, x, y, 1), () => share(s.gt, y, x, 0)];
    case "mod":
      return [one, () => s.neg(s.floordiv(x, y))];
    case "fmod":
      return [one, () => s.neg(s.truncdiv(x, y))];
    case "copysign":
      return [() => s.select(s.eq(x, 0), 0, s.select(s.eq(x, z), 1, -1)), none];
    case "nextafter":
    case "shl":
    case "shr":
      throw noRule(fn);
    default:
      return [none, none];
  }
}

/**
 * Returns the share of `x` in min or max: 1 where it wins; at a tie one half, or `atBound` if the other operand is a
 * constant.
 */
function share(wins: typeof s.lt, x: ScalarExpr, other: ScalarExpr, atBound: number): ScalarExpr {
  if (other.kind === "const")
    return s.select(wins(x, other), 1, atBound === 0 ? 0 : s.select(s.eq(x, other), atBound, 0));
  // Where an operand is NaN, neither loses.
  const loses = wins === s.gt ? s.lt : s.gt;
  return s.select(loses(x, other), 0, s.select(s.eq(x, other), 0.5, 1));
}

function noRule(fn: string): Error {
  return registryError("registry.scalar-gradient", {
    what: `the scalar function ${fn} has no derivative rule`,
    advice: "give the op record a `gradient` of its own",
  });
}
