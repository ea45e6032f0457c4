import type { DType } from "@pt2/format";
import { closestName } from "@pt2/format/options";
import type { OpName } from "@pt2/graph";
import type { ViewInverse } from "@pt2/graph/passes";
import type { Builder, TypedOp } from "./builder.ts";
import type { HandlerResult } from "./handler.ts";
import { registryError } from "./registry-errors.ts";
import type { ScalarExpr } from "./scalar/expr.ts";
import type { ArgsOf, DataOf, Operands, ResultsOf } from "./schema/infer-types.ts";
import { parseSchema } from "./schema/parse.ts";
import type { OpSchema } from "./schema/types.ts";
import type { ArgValue, Strided, TensorMeta } from "./tensor-meta.ts";

/** How the dtype of an elementwise result follows from its operands. */
export interface Promotion {
  /**
   * `numeric`: PyTorch's type promotion. `float`: the same, then integers and bool become the default floating point
   * dtype. `bool`: computed in the promoted dtype, the result is bool. `first`: the dtype of the first operand.
   */
  readonly kind: "numeric" | "float" | "bool" | "first";
  /** The arguments that take part. Default: every Tensor argument, and every Scalar argument named `other`. */
  readonly operands?: readonly string[];
  /**
   * An argument that PyTorch's half-precision kernel takes in float32 without rounding, if it is a number or a 0-d
   * tensor; the result is then rounded once.
   */
  readonly exact?: string;
  /** Numbers that do not take part in promotion, but are rounded to the float16 or bfloat16 of the call. */
  readonly rounded?: readonly string[];
  /** The dtype of the result if an argument specifies it. */
  readonly result?: DType | undefined;
}

/**
 * The rules of an op: everything the project knows about it. Callbacks get their arguments resolved by schema (order,
 * names, defaults) and typed by the schema string.
 *
 * Exactly one of `scalar`, `view` and `infer` defines the shapes; a composite op may have only `decompose`, which then
 * defines them.
 */
export interface OpRules<S extends string> {
  /**
   * Infers the results from concrete arguments. Throws a `Pt2Error` if the arguments cannot be combined. For a
   * `dynamic` op, returns the largest possible result.
   */
  infer?(args: ArgsOf<S>): ResultsOf<S> | TupleHint;
  /**
   * For a view: returns the geometry of the result(s) over `self`'s storage, or null if strides cannot express it and a
   * copy is needed (`reshape`). Applied to a contiguous geometry it defines the shape.
   */
  view?(self: Strided, args: ArgsOf<S>): Strided | readonly Strided[] | null;
  /**
   * How the base of a view follows from a view that was written to. Without it, a `view` is written through by its
   * geometry.
   */
  readonly inverse?: ViewInverse;
  /**
   * For an elementwise op: computes one element. Tensor and number arguments are expressions, in schema order; strings,
   * bools and dtypes are passed unchanged, omitted optional arguments as null.
   */
  scalar?(...operands: Operands<S>): ScalarExpr;
  /** The dtype rule of a `scalar` op, possibly computed from the arguments. Default: `{ kind: "numeric" }`. */
  readonly promote?: Promotion | ((args: ArgsOf<S>) => Promotion);
  /** Computes the same in simpler ops; returns null if it does not apply to these arguments. */
  decompose?(args: ArgsOf<S>, b: Builder): ResultsOf<S> | TupleHint | null;
  /**
   * Computes the results from elements in host memory, where a backend has no kernel and there is no `decompose`. It
   * serves a node of a program, and a call in the decomposition of a `dynamic` op. A tensor of the results has the dtype
   * and shape of `infer`; for a `dynamic` op its shape may be smaller. Functions stay on the thread of the caller.
   */
  compute?(args: DataOf<S>): HandlerResult | Promise<HandlerResult>;
  /** Computes gradients with respect to the tensor arguments, by name. If absent or null, no gradient flows. */
  gradient?(
    call: GradientCall<S>,
    b: Builder,
  ): { readonly [arg: string]: TensorMeta | readonly (TensorMeta | null)[] | null };
  /** Requirements on arguments that the other rules would accept. */
  readonly requires?: Requirements;
  /** Checks arguments beyond the schema. Returns what is wrong, or null. */
  validate?(args: ArgsOf<S>): string | null;
  /**
   * Whether the sizes of the results depend on data: always (`nonzero`), or for these arguments (`index` with a mask).
   * With `decompose`, the calls stand for the op, and of these some are dynamic.
   */
  readonly dynamic?: boolean | ((args: ArgsOf<S>) => boolean);
  /**
   * Whether two calls with equal arguments may differ, or the call has an effect besides its results: it is never
   * folded or dropped.
   */
  readonly impure?: boolean;
  /**
   * The names of `Scalar` arguments whose values no rule reads: a runtime scalar is then passed as a 0-d tensor
   * (`TensorMeta.number`), and one plan serves all values. Elementwise ops do not need it.
   */
  readonly numbers?: readonly string[];
  /** The window of a pooling op, or of a convolution op that is always transposed. */
  readonly window?: Window;
  /** The result is one part of each complex element of the first argument: the real (0) or the imaginary one (1). */
  readonly complexPart?: 0 | 1;
  /** The result is complex; these arguments are its real and imaginary parts. */
  readonly complexParts?: readonly [real: string, imaginary: string];
  /** The result is what the first argument lists, one behind the other along `dim`. */
  readonly joins?: true;
  /** The arguments that the op writes to although its schema does not say so (running statistics). */
  readonly mutates?: readonly string[];
  /** The names of further in-place variants, besides the regular one: `aten::pow_.Scalar`. */
  readonly inPlace?: readonly OpName[];
}

/** The sliding window of an op. */
export interface Window {
  /** The number of dimensions that it slides along: the last ones of the input. */
  readonly rank: 1 | 2 | 3;
  readonly transposed?: true;
  /** How a pooling op reduces the elements of a window. */
  readonly reduce?: "max" | "mean";
}

/**
 * Groups of dtypes that ops require: `byte` is int8 or uint8, `index` int64 or int32, `label` int64 or uint8, `mask`
 * bool or uint8.
 */
export type RequiredDType =
  | "bool"
  | "byte"
  | "complex"
  | "float"
  | "index"
  | "int8"
  | "label"
  | "long"
  | "mask"
  | "real";

/** What PyTorch requires of arguments, beyond their types in the schema. */
export interface Requirements {
  /** The arguments that must have the dtype of the first of them; with half precision they may be float32. */
  readonly same?: readonly string[];
  /** The dtypes of single arguments. */
  readonly kinds?: Readonly<Record<string, RequiredDType>>;
  /** The allowed numbers of dimensions of tensors; for a list, of each of its tensors. */
  readonly ranks?: Readonly<Record<string, readonly number[]>>;
  /** The required lengths of lists. */
  readonly lengths?: Readonly<Record<string, number>>;
  /** The allowed values of strings and dtypes; null is left to the schema. */
  readonly choices?: Readonly<Record<string, readonly ArgValue[]>>;
  /** The smallest and the largest value of numbers, both included. */
  readonly ranges?: Readonly<Record<string, readonly [least: number, most: number]>>;
  /** Numbers that may be bools only if everything else is bool. */
  readonly factors?: readonly string[];
  /** Numbers that are elements of this tensor if both are integers. */
  readonly wholes?: Readonly<Record<string, string>>;
  /**
   * Numbers that become elements of the dtype given by argument `dtype`, or else of this dtype or that of this tensor.
   */
  readonly elements?: Readonly<Record<string, string>>;
}

/**
 * A type that is never returned: it makes the compiler infer a tuple for an array literal in a `return`, before it
 * knows `S`.
 */
export type TupleHint = readonly [never];

/**
 * The arguments of a gradient rule: the forward call, the gradient of each result (null if there is none), and which
 * arguments need a gradient: what a rule returns for other ones is not used.
 */
export interface GradientCall<S extends string> {
  readonly args: ArgsOf<S>;
  readonly results: readonly TensorMeta[];
  readonly grads: readonly (TensorMeta | null)[];
  wants(argument: string): boolean;
}

/** An op record as registries hold it, without the types of the schema string. */
export interface OpRecord extends OpRules<string> {
  readonly name: OpName;
  readonly schema: OpSchema;
  /** For an in-place op: the op that computes the same value in a new tensor. */
  readonly functional?: OpName;
}

const RULES: { readonly [Name in keyof Required<OpRules<string>>]: true } = {
  scalar: true,
  promote: true,
  view: true,
  inverse: true,
  infer: true,
  decompose: true,
  compute: true,
  requires: true,
  validate: true,
  gradient: true,
  dynamic: true,
  impure: true,
  numbers: true,
  window: true,
  complexPart: true,
  complexParts: true,
  joins: true,
  mutates: true,
  inPlace: true,
};

const REQUIREMENTS = "same kinds ranks lengths choices ranges factors wholes elements".split(
  " ",
) as readonly (keyof Requirements)[];

/** Defines an op by PyTorch's own schema string, which determines the callbacks' argument names and types. */
export function defineOp<const S extends string>(schema: S, rules: OpRules<S> = {}): OpRecord & TypedOp<S> {
  const parsed = parseSchema(schema);
  requireKnown(parsed.name, rules, Object.keys(RULES), "rule");
  requireKnown(parsed.name, rules.requires, REQUIREMENTS, "requirement");
  return { ...(rules as OpRules<string>), name: parsed.name, schema: parsed };
}

/** Refuses names that the compiler would, for definitions that it does not see. */
function requireKnown(op: OpName, given: object | undefined, known: readonly string[], noun: string): void {
  const unknown = Object.keys(given ?? {}).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closestName(unknown, known);
  throw registryError("registry.rule", {
    what: `The definition of ${op} has \`${unknown}\`, which is not a ${noun}${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`,
    advice: `the ${noun}s are ${known.join(", ")}`,
    details: { op, rule: unknown },
  });
}
