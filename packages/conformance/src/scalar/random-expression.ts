import { DTYPES, type DType } from "@pt2/format";
import { type BinaryFn, type ScalarExpr, scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";

/** A random expression of three inputs. */
export interface RandomExpression {
  readonly expr: TypedExpr;
  /** The dtypes of the inputs. */
  readonly dtypes: readonly [DType, DType, DType];
  /** The dtype that the expression computes in, apart from casts. */
  readonly compute: DType;
}

// Only exact functions, so that errors do not grow along a tree; and not copysign, because the sign of a NaN depends on
// the hardware, and JavaScript cannot read it.
const INT_FNS = ["add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"] as const;
const BY_CONSTANT = ["floordiv", "truncdiv", "mod", "fmod"] as const;
const TESTS = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
const COMPUTE = ["float32", "float32", "float64", "int32", "int64", "int8", "uint8"] as const;
const INTS: readonly DType[] = ["int8", "uint8", "int16", "int32", "int64"];
const CASTS: readonly DType[] = [...INTS, "float16", "bfloat16", "float32", "float64", "bool"];

/**
 * Makes an expression that depends only on `index` and on the numbers in `[0, 1)` that `random` returns. Consecutive
 * values of `index` cycle through all compute dtypes; `floatFns` are the float functions of two arguments that
 * generated code may contain.
 */
export function randomExpression(index: number, random: () => number, floatFns: readonly BinaryFn[]): RandomExpression {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const compute = COMPUTE[index % COMPUTE.length]!;
  const float = DTYPES[compute].kind === "float";
  const leaf = (): ScalarExpr => s.input(Math.floor(random() * 3));
  const tree = (depth: number): ScalarExpr => {
    const below = (): ScalarExpr => tree(depth - 1);
    if (depth === 0 || random() < 0.1) return random() < 0.75 ? leaf() : s.lit(pick([0, 1, -1, 2, 5]));
    const kind = random();
    if (kind < 0.15) return s.select(s[pick(TESTS)](below(), below()), below(), below());
    if (kind < 0.3) return s.cast(pick(CASTS), below());
    if (kind < 0.4) return s[pick(["neg", "abs", "sign", "floor", "round"] as const)](below());
    if (kind < 0.5) return s[pick(BY_CONSTANT)](below(), pick([1, 2, 3, 7]));
    if (float && kind < 0.6) return s.mul(leaf(), leaf());
    return s[pick(float ? floatFns : INT_FNS)](below(), below());
  };
  const dtypes = [compute, pick(CASTS), compute] as const;
  const result = random() < 0.6 ? compute : pick(CASTS);
  return { expr: typeExpr(tree(5), { compute, operands: dtypes, result }), dtypes, compute };
}
