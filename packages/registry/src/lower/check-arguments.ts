import { DTYPES, type DType } from "@pt2/format";
import type { Node } from "@pt2/graph";
import type { OpRecord, RequiredDType, Requirements } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import type { SchemaArgument } from "../schema/types.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describe } from "./arguments.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Returns what is wrong with an argument of a certain name and type in any op, or null. */
type Rule = (value: ArgValue, args: Args) => string | null;

/**
 * Returns what is wrong with arguments that have the types of the schema, or null: values that PyTorch refuses in every
 * op that has an argument of that name and type, and tensors that do not meet the record's requirements.
 */
export function argumentProblem(record: OpRecord, args: Args): string | null {
  for (const { name, rule } of rulesOf(record)) {
    const problem = rule(args[name]!, args);
    if (problem !== null) return `argument \`${name}\` ${problem}`;
  }
  const { requires } = record;
  return requires === undefined
    ? null
    : (dtypeProblem(requires, args) ?? formProblem(requires, args) ?? numberProblem(requires, args));
}

/** Throws `registry.argument` for arguments that the record's rules refuse before shapes are inferred. */
export function requireArgumentValues(record: OpRecord, args: Args, node: Node): void {
  const problem = argumentProblem(record, args) ?? record.validate?.(args);
  if (problem) throw registryError("registry.argument", { what: `${record.name}: ${problem}`, where: describe(node) });
}

const cache = new WeakMap<OpRecord, readonly { readonly name: string; readonly rule: Rule }[]>();

function rulesOf(record: OpRecord): readonly { readonly name: string; readonly rule: Rule }[] {
  let rules = cache.get(record);
  if (rules === undefined) {
    // The meaning of an argument's name is known only in PyTorch's own ops.
    const args = record.name.startsWith("aten::") ? record.schema.args : [];
    rules = args.flatMap((arg) => {
      const rule = ruleOf(arg);
      return rule === null ? [] : [{ name: arg.name, rule }];
    });
    cache.set(record, rules);
  }
  return rules;
}

function ruleOf({ name, type }: SchemaArgument): Rule | null {
  const inner = type.kind === "optional" ? type.inner : type;
  if (inner.kind === "list") {
    const { size } = inner;
    const fixed = inner.inner.kind === "base" && inner.inner.base === "bool" && size !== null;
    return fixed ? (value) => ((value as readonly unknown[]).length === size ? null : `must have ${size} items`) : null;
  }
  if (inner.kind !== "base") return null;
  if (inner.base === "Scalar" && !TAKES_COMPLEX.has(name)) return realNumber;
  return NAMED[`${inner.base} ${name}`] ?? null;
}

/** Numbers that may make the result complex although the tensors are real. */
const TAKES_COMPLEX: ReadonlySet<string> = new Set(
  "self other exponent fill_value start end step base x n s p ord tensor1 tensor2 scalar".split(" "),
);

/** Refuses a complex number if no tensor is complex. */
const realNumber: Rule = (value, args) => {
  if (typeof value !== "object" || value === null || !("re" in value)) return null;
  const isComplex = ({ dtype }: TensorMeta): boolean => DTYPES[dtype].kind === "complex";
  return tensorsIn(Object.values(args)).some(isComplex) ? null : "must be a real number, because no tensor is complex";
};

const oneOf =
  (...allowed: readonly ArgValue[]): Rule =>
  (value) =>
    value === null || allowed.includes(value) ? null : `must be one of ${allowed.join(", ")}, not ${String(value)}`;

const between =
  (least: number, most: number): Rule =>
  (value) =>
    value === null || (Number(value) >= least && Number(value) <= most)
      ? null
      : `must be ${most === Number.POSITIVE_INFINITY ? `at least ${least}` : `between ${least} and ${most}`}, not ${String(value)}`;

const probability = between(0, 1);
const positive = between(0, Number.POSITIVE_INFINITY);

/** The rules by type and name. */
const NAMED: Readonly<Record<string, Rule>> = {
  "int reduction": oneOf(0, 1, 2),
  "str rounding_mode": oneOf("trunc", "floor"),
  "str approximate": oneOf("none", "tanh"),
  "str UPLO": oneOf("L", "U"),
  "str padding_side": oneOf("left", "right"),
  "int compute_mode": oneOf(0, 1, 2),
  "float atol": positive,
  "float delta": between(Number.MIN_VALUE, Number.POSITIVE_INFINITY),
  "float dropout_p": probability,
  "float label_smoothing": probability,
  "float rtol": positive,
  "bool pin_memory": (value) => (value === true ? "must be false: memory can be pinned for a CUDA device only" : null),
};

function dtypeProblem({ same = [], kinds = {} }: Requirements, args: Args): string | null {
  for (const [name, kind] of Object.entries(kinds)) {
    const bad = tensorsIn(args[name]).find(({ dtype }) => !isOfKind(dtype, kind));
    if (bad !== undefined) return `argument \`${name}\` must be ${KINDS[kind] ?? kind}, not ${bad.dtype}`;
  }
  const [first, ...others] = same.flatMap((name) => tensorsIn(args[name]).map(({ dtype }) => ({ name, dtype })));
  const narrow = first !== undefined && DTYPES[first.dtype].kind === "float" && DTYPES[first.dtype].itemsize < 4;
  for (const { name, dtype } of others) {
    // Statistics and weights of half-precision tensors may be float32.
    if (dtype === first!.dtype || (narrow && dtype === "float32")) continue;
    return `argument \`${name}\` is ${dtype}, where \`${first!.name}\` is ${first!.dtype}: they must have the same dtype`;
  }
  return null;
}

function formProblem({ ranks = {}, lengths = {}, choices = {} }: Requirements, args: Args): string | null {
  for (const [name, allowed] of Object.entries(ranks)) {
    const bad = tensorsIn(args[name]).find(({ shape }) => !allowed.includes(shape.length));
    if (bad === undefined) continue;
    return `argument \`${name}\` must have ${allowed.join(" or ")} dimensions, not ${bad.shape.length}`;
  }
  for (const [name, length] of Object.entries(lengths)) {
    const list = args[name];
    if (!Array.isArray(list) || list.length === length) continue;
    return `argument \`${name}\` must have ${length} items, not ${list.length}`;
  }
  for (const [name, allowed] of Object.entries(choices)) {
    const problem = oneOf(...allowed)(args[name]!, args);
    if (problem !== null) return `argument \`${name}\` ${problem}`;
  }
  return null;
}

function numberProblem(
  { ranges = {}, factors = [], wholes = {}, elements = {} }: Requirements,
  args: Args,
): string | null {
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = numberIn(args[name]);
    const problem = value === null ? null : between(least, most)(value, args);
    if (problem !== null) return `argument \`${name}\` ${problem}`;
  }
  for (const name of factors) {
    const isBool = (value: ArgValue): boolean =>
      isTensorMeta(value) ? value.dtype === "bool" : typeof value === "boolean" || value === null;
    const others = Object.entries(args).filter(([other]) => !factors.includes(other));
    if (typeof args[name] !== "boolean" || others.every(([, value]) => isBool(value))) continue;
    return `argument \`${name}\` may be a bool only where the result is bool`;
  }
  for (const [name, like] of Object.entries(wholes)) {
    const { dtype } = args[like] as TensorMeta;
    // A number that is read becomes part of the plan.
    if (!DTYPES[dtype].kind.endsWith("int")) continue;
    const isNumber = typeof args[name] === "number" || typeof args[name] === "bigint";
    if (!isNumber || isElement(args[name], dtype)) continue;
    return `argument \`${name}\` cannot be converted to ${dtype} without overflow`;
  }
  for (const [name, like] of Object.entries(elements)) {
    const named = Object.hasOwn(DTYPES, like) ? (like as DType) : undefined;
    const dtype = (args.dtype as DType | null | undefined) ?? named ?? (args[like] as TensorMeta | undefined)?.dtype;
    if (dtype === undefined || isElement(args[name], dtype)) continue;
    return `argument \`${name}\` cannot be converted to ${dtype} without overflow`;
  }
  return null;
}

/** Returns the real number in an argument; null for anything else. */
function numberIn(value: ArgValue | undefined): number | null {
  if (typeof value === "object" && value !== null && "float" in value) return Number(value.float);
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
}

/** Returns whether a number can be an element of this dtype. PyTorch accepts negative numbers for unsigned dtypes. */
function isElement(value: ArgValue | undefined, dtype: DType): boolean {
  const { kind, itemsize } = DTYPES[dtype];
  if (dtype === "bool" || kind === "complex") return true;
  if (typeof value === "object" && value !== null && "im" in value && value.im !== 0) return false;
  const number = numberIn(value);
  if (number === null) return true;
  if (kind === "float") return itemsize !== 4 || !Number.isFinite(number) || Math.abs(number) <= MAX_FLOAT32;
  const most = 2 ** (8 * itemsize - (kind === "uint" ? 0 : 1));
  return number < most && number >= (kind === "uint" ? 1 - most : -most);
}

const MAX_FLOAT32 = 2 ** 128 - 2 ** 104;

const KINDS: Readonly<Record<RequiredDType, string>> = {
  bool: "a tensor of bools",
  byte: "a tensor of int8 or uint8",
  complex: "a tensor of complex numbers",
  float: "a tensor of floats",
  index: "a tensor of int64 or int32",
  int8: "a tensor of int8",
  label: "a tensor of int64 or uint8",
  long: "a tensor of int64",
  mask: "a tensor of bools or uint8",
  real: "a tensor of real numbers",
};

function isOfKind(dtype: DType, kind: RequiredDType): boolean {
  const { kind: group } = DTYPES[dtype];
  switch (kind) {
    case "bool":
      return dtype === "bool";
    case "byte":
      return dtype === "int8" || dtype === "uint8";
    case "complex":
    case "float":
      return group === kind;
    case "index":
      return dtype === "int64" || dtype === "int32";
    case "int8":
      return dtype === "int8";
    case "label":
      return dtype === "int64" || dtype === "uint8";
    case "long":
      return dtype === "int64";
    case "mask":
      return dtype === "bool" || dtype === "uint8";
    case "real":
      return group !== "complex";
  }
}

/** Returns the tensors in an argument. Numbers in place of tensors are left out: they have any dtype. */
function tensorsIn(value: ArgValue | undefined): readonly TensorMeta[] {
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  return isTensorMeta(value) && value.wrapped === undefined && value.number === undefined ? [value] : [];
}
