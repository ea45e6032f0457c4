import type { Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import type { OpRecord, OpRules } from "../../op.ts";
import { scalarMeta } from "../../promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { joinParts, type Parts, partsOf } from "../support/complex-parts.ts";
import { isComplex, takesComplex } from "../support/dtypes.ts";
import { type Emit, emit, type Operand } from "../support/emit.ts";
import { COMPLEX_COMPOSITIONS, type Composition } from "./complex-compositions.ts";
import {
  COMPLEX_FUNCTIONS,
  COMPLEX_SYNONYMS,
  complexPower,
  complexQuotient,
  complexSize,
} from "./complex-functions.ts";

/** A rule that computes an op on real and imaginary parts. A real result is returned as one tensor. */
type ComplexRule = (e: Emit, x: Parts, y: Parts, alpha: Parts, b: Builder) => Parts | TensorMeta;

const add = (e: Emit, x: Parts, y: Parts): Parts => ({ re: e.add(x.re, y.re), im: e.add(x.im, y.im) });
const sub = (e: Emit, x: Parts, y: Parts): Parts => ({ re: e.sub(x.re, y.re), im: e.sub(x.im, y.im) });
const mul = (e: Emit, x: Parts, y: Parts): Parts => ({
  re: e.sub(e.mul(x.re, y.re), e.mul(x.im, y.im)),
  im: e.add(e.mul(x.re, y.im), e.mul(x.im, y.re)),
});
const scaled = (e: Emit, x: Parts, alpha: Parts): Parts => (alpha.re === 1 && alpha.im === 0 ? x : mul(e, x, alpha));
const div: ComplexRule = (_e, x, y, _alpha, b) => complexQuotient(b, x, y);
/** Zeros change their sign as well, which says on what side of a branch cut a number is. */
const negated: ComplexRule = (e, x) => ({ re: e.mul(x.re, -1), im: e.mul(x.im, -1) });
const plus: ComplexRule = (e, x, y, alpha) => add(e, x, scaled(e, y, alpha));
const minus: ComplexRule = (e, x, y, alpha) => sub(e, x, scaled(e, y, alpha));
const equal: ComplexRule = (e, x, y) => e.mul(e.eq(x.re, y.re), e.eq(x.im, y.im));
const different: ComplexRule = (e, x, y) => e.sub({ float: 1 }, e.mul(e.eq(x.re, y.re), e.eq(x.im, y.im)));
const power: ComplexRule = (_e, x, y, _alpha, b) => complexPower(b, x, y);
/** Powers that PyTorch computes without a logarithm, by the number that is the exponent. */
const powerOf: ComplexRule = (e, x, y, alpha, b) => {
  if (y.im !== 0 || !isTensorMeta(x.im)) return power(e, x, y, alpha, b);
  if (y.re === 2) return mul(e, x, x);
  if (y.re === 3) return mul(e, mul(e, x, x), x);
  return y.re === 0.5 ? COMPLEX_FUNCTIONS.sqrt!(b, x) : power(e, x, y, alpha, b);
};
const same: ComplexRule = (_, x) => x;

/** Returns whether a number is not zero. One of the operands may be real. */
const truth = (e: Emit, { re, im }: Parts, b: Builder): TensorMeta => {
  const real = e.ne(re, 0);
  return isTensorMeta(im) ? b.tensor("aten::logical_or", { self: real, other: e.ne(im, 0) }) : real;
};
const logic =
  (op: "aten::logical_and" | "aten::logical_or" | "aten::logical_xor"): ComplexRule =>
  (e, x, y, _alpha, b) =>
    b.tensor(op, { self: truth(e, x, b), other: truth(e, y, b) });

const RULES: { readonly [op: string]: ComplexRule } = {
  "aten::add.Tensor": plus,
  "aten::add.Scalar": plus,
  "aten::sub.Tensor": minus,
  "aten::sub.Scalar": minus,
  "aten::rsub.Scalar": (e, x, y, alpha) => sub(e, y, scaled(e, x, alpha)),
  "aten::mul.Tensor": mul,
  "aten::mul.Scalar": mul,
  "aten::div.Tensor": div,
  "aten::div.Scalar": div,
  "aten::square": (e, x) => mul(e, x, x),
  "aten::neg": negated,
  "aten::conj_physical": (e, x) => ({ re: x.re, im: e.mul(x.im, -1) }),
  "aten::abs": (_e, x, _y, _alpha, b) => complexSize(b, x),
  "aten::eq.Tensor": equal,
  "aten::eq.Scalar": equal,
  "aten::angle": (_e, x, _y, _alpha, b) => b.tensor("aten::atan2", { self: x.im, other: x.re }),
  "aten::ne.Tensor": different,
  "aten::ne.Scalar": different,
  "aten::rsub.Tensor": (e, x, y, alpha) => sub(e, y, scaled(e, x, alpha)),
  "aten::pow.Tensor_Tensor": power,
  "aten::pow.Tensor_Scalar": powerOf,
  "aten::pow.Scalar": power,
  "aten::negative": negated,
  "aten::absolute": (_e, x, _y, _alpha, b) => complexSize(b, x),
  "aten::logical_not": (e, x) => e.mul(e.eq(x.re, 0), e.eq(x.im, 0)),
  ...Object.fromEntries(
    (["logical_and", "logical_or", "logical_xor"] as const).map((op) => [`aten::${op}`, logic(`aten::${op}`)]),
  ),
  ...Object.fromEntries(
    ["multiply", "subtract", "divide", "true_divide"].flatMap((name, i) =>
      ["Tensor", "Scalar"].map((overload) => [`aten::${name}.${overload}`, [mul, minus, div, div][i]!]),
    ),
  ),
  ...Object.fromEntries(
    [...Object.keys(COMPLEX_FUNCTIONS).map((name) => [name, name] as const), ...COMPLEX_SYNONYMS].map(
      ([name, of]): [string, ComplexRule] => [`aten::${name}`, (_e, x, _y, _alpha, b) => COMPLEX_FUNCTIONS[of]!(b, x)],
    ),
  ),
  "aten::clone": same,
  "aten::_to_copy": same,
};

/**
 * Adds decompositions for complex arguments to records, since scalar expressions are real and so are many other rules.
 * A backend then needs no complex arithmetic, only `view_as_real` and `view_as_complex`.
 */
export function withComplexRules(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map(withComplexRule);
}

/** Does the same for one record of any op, and returns it unchanged if the op has no rule for complex arguments. */
export function withComplexRule(record: OpRecord): OpRecord {
  const choice = CHOICES[record.name];
  if (choice !== undefined) return { ...record, decompose: selection(record, choice) };
  const composition = COMPLEX_COMPOSITIONS[record.name];
  if (composition !== undefined) return { ...record, decompose: whereComplex(record, composition) };
  const rule = RULES[record.name];
  return rule === undefined ? record : { ...record, decompose: decomposition(record, rule) };
}

/** Adds the rule of an elementwise op, which has no other decomposition; for other ops, only for complex arguments. */
function whereComplex(record: OpRecord, rule: Composition): NonNullable<OpRules<string>["decompose"]> {
  if (record.scalar !== undefined) return rule;
  return (args, b) => (takesComplex(args) ? rule(args, b) : (record.decompose?.(args, b) ?? null));
}

/**
 * Ops that choose between two values: their argument for the condition, for the value where it holds, and for the other
 * value.
 */
const CHOICES: { readonly [op: string]: readonly [string, string, string] } = {
  ...Object.fromEntries(
    ["self", "ScalarSelf", "ScalarOther", "Scalar"].map((overload) => [
      `aten::where.${overload}`,
      ["condition", "self", "other"] as const,
    ]),
  ),
  "aten::masked_fill.Scalar": ["mask", "value", "self"],
  "aten::masked_fill.Tensor": ["mask", "value", "self"],
};

function selection(
  record: OpRecord,
  [condition, yes, no]: readonly [string, string, string],
): NonNullable<OpRules<string>["decompose"]> {
  return (args, b) => {
    const [x, y] = [partsOf(args[yes], b), partsOf(args[no], b)];
    const { where } = emit(b);
    const pick = (a: Operand, c: Operand): TensorMeta => where(args[condition] as TensorMeta, a, c);
    return joinParts({ re: pick(x.re, y.re), im: pick(x.im, y.im) }, scalarMeta(record, args), b);
  };
}

function decomposition(record: OpRecord, rule: ComplexRule): NonNullable<OpRules<string>["decompose"]> {
  return (args, b) => {
    const meta = scalarMeta(record, args);
    const [x, y] = record.schema.args.map(({ name }) => args[name]);
    const isOperand = ["other", "exponent"].includes(record.schema.args[1]?.name ?? "");
    const result = rule(emit(b), partsOf(x, b), partsOf(isOperand ? y : 0, b), partsOf(args.alpha ?? 1, b), b);
    if (isTensorMeta(result)) return emit(b).cast(result, meta.dtype);
    if (isComplex(meta.dtype)) return joinParts(result, meta, b);
    if (!isTensorMeta(result.re)) return null;
    // A conversion keeps the real part; to bool, a number is true unless both parts are zero.
    return meta.dtype === "bool" ? truth(emit(b), result, b) : emit(b).cast(result.re, partOf(meta.dtype));
  };
}
