import type { DType } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import type { ViewInverse } from "@pt2/graph/passes";
import type { Builder, TypedOp } from "./builder.ts";
import { similar } from "./own-ops/similar.ts";
import { registryError } from "./registry-errors.ts";
import type { ScalarExpr } from "./scalar/expr.ts";
import type { ArgsOf, Operands, ResultsOf } from "./schema/infer-types.ts";
import { parseSchema } from "./schema/parse.ts";
import type { OpSchema } from "./schema/types.ts";
import type { ArgValue, Strided, TensorMeta } from "./tensor-meta.ts";

/** How the dtype of an elementwise result follows from its operands. */
export interface Promotion {
  /**
   * `numeric`: PyTorch's type promotion. `float`: the same, then integers and bool become the default float dtype.
   * `bool`: computed in the promoted dtype, the result is bool. `first`: dtype of the first operand.
   */
  readonly kind: "numeric" | "float" | "bool" | "first";
  /** Arguments that take part; default: every Tensor argument, and every Scalar argument called `other`. */
  readonly operands?: readonly string[];
  /**
   * The argument that PyTorch's kernel for half precision takes in float32, as it is, where it is a number or a 0-d
   * tensor; all is then rounded once.
   */
  readonly exact?: string;
  /** Numbers that take no part, and are converted to the float16 or bfloat16 of the call all the same. */
  readonly rounded?: readonly string[];
  /** Dtype of the result when the arguments say it. */
  readonly result?: DType | undefined;
}

/**
 * The one record of an op: everything the project knows about it. Callbacks get their arguments resolved by schema
 * (order, names, defaults) and typed from the schema string.
 *
 * Exactly one of `scalar`, `view`, `infer` gives the shapes; a composite may give only `decompose`, from which the
 * shapes follow.
 */
export interface OpRules<S extends string> {
  /**
   * Result metas from concrete arguments.
   * Throws a `Pt2Error` when the arguments cannot be combined. For a `dynamic` op: the largest result.
   */
  infer?(args: ArgsOf<S>): ResultsOf<S> | TupleHint;
  /**
   * For a view: geometry of the result(s) over `self`'s storage, or null when strides cannot express it and a copy
   * is needed (`reshape`). Applied to contiguous geometry it gives the shape.
   */
  view?(self: Strided, args: ArgsOf<S>): Strided | readonly Strided[] | null;
  /**
   * How what is viewed follows from a view that was written to. A `view` that does not say it is written through where
   * its geometry says that its elements lie.
   */
  readonly inverse?: ViewInverse;
  /**
   * For an elementwise op: what one element is. Tensor and number arguments arrive as expressions, in schema order;
   * strings, bools and dtypes as they are, omitted optionals as null.
   */
  scalar?(...operands: Operands<S>): ScalarExpr;
  /** Dtype rule of a `scalar` op, or how it follows from the arguments; default `{ kind: "numeric" }`. */
  readonly promote?: Promotion | ((args: ArgsOf<S>) => Promotion);
  /** The same computation in simpler ops; null when it does not apply to these arguments. */
  decompose?(args: ArgsOf<S>, b: Builder): ResultsOf<S> | TupleHint | null;
  /** Gradients with respect to the tensor arguments, by name; absent or null: no gradient flows. */
  gradient?(
    call: GradientCall<S>,
    b: Builder,
  ): { readonly [arg: string]: TensorMeta | readonly (TensorMeta | null)[] | null };
  /** What arguments must be, for ops that would compute with others too. */
  readonly requires?: Requirements;
  /** Checks beyond the schema. Returns what is wrong, or null. */
  validate?(args: ArgsOf<S>): string | null;
  /** The sizes of the results depend on data: always (`nonzero`), or for these arguments (`index` with a mask). */
  readonly dynamic?: boolean | ((args: ArgsOf<S>) => boolean);
  /**
   * Two calls with equal arguments may differ, or the call has an effect besides its results: never folded or dropped.
   */
  readonly impure?: boolean;
  /**
   * Names of `Scalar` arguments whose value no rule looks at: a number that changes from run to run then arrives as a
   * 0-d tensor (`TensorMeta.number`), and one plan serves all values. Elementwise ops need not say so.
   */
  readonly numbers?: readonly string[];
  /** What a pooling, or a convolution that is transposed whatever its arguments are, walks over its input with. */
  readonly window?: Window;
  /** The result is a part of each complex number of the first argument: the real (0) or the imaginary one (1). */
  readonly part?: 0 | 1;
  /** The result is complex numbers, whose real and imaginary parts these arguments are. */
  readonly pairs?: readonly [real: string, imaginary: string];
  /** Arguments that the op writes to although its schema does not say so (running statistics). */
  readonly mutates?: readonly string[];
  /** Names of in-place ops over the same computation, beside the regular one: `aten::pow_.Scalar`. */
  readonly inPlace?: readonly OpName[];
}

/** The windows of an op. */
export interface Window {
  /** How many dimensions it slides along: the last ones of the input. */
  readonly rank: 1 | 2 | 3;
  readonly transposed?: true;
  /** What a pooling makes of the elements in a window. */
  readonly reduce?: "max" | "mean";
}

/**
 * Groups of dtypes that ops ask for: `byte` is int8 or uint8, `index` int64 or int32, `label` int64 or uint8, `mask`
 * bool or uint8.
 */
export type RequiredDType =
  | "bool"
  | "byte"
  | "complex"
  | "float"
  | "index"
  | "int8"
  | "integral"
  | "label"
  | "long"
  | "mask"
  | "real";

/** What PyTorch asks of arguments, beyond their types in the schema. */
export interface Requirements {
  /** Arguments that have the dtype of the first of them; beside halves they may be float32. */
  readonly same?: readonly string[];
  /** Dtypes of single arguments. */
  readonly kinds?: Readonly<Record<string, RequiredDType>>;
  /** How many dimensions tensors may have; of a list, each of its tensors. */
  readonly ranks?: Readonly<Record<string, readonly number[]>>;
  /** How many items lists must have. */
  readonly lengths?: Readonly<Record<string, number>>;
  /** What strings and dtypes may be; null is left to the schema. */
  readonly choices?: Readonly<Record<string, readonly ArgValue[]>>;
  /** Least and largest value of numbers, both included. */
  readonly ranges?: Readonly<Record<string, readonly [least: number, most: number]>>;
  /** Numbers that may be bools only where all else is bool. */
  readonly factors?: readonly string[];
  /** Numbers that become elements of the dtype that `dtype` names, or else of this dtype or that of this tensor. */
  readonly elements?: Readonly<Record<string, string>>;
}

/** Never returned. It tells the compiler, before it knows `S`, that an array literal in a `return` is a tuple. */
export type TupleHint = readonly [never];

/** What a gradient rule sees: the forward call and the gradient of each result (null where none arrived). */
export interface GradientCall<S extends string> {
  readonly args: ArgsOf<S>;
  readonly results: readonly TensorMeta[];
  readonly grads: readonly (TensorMeta | null)[];
}

/** An op record as registries hold it, with the schema string's types erased. */
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
  requires: true,
  validate: true,
  gradient: true,
  dynamic: true,
  impure: true,
  numbers: true,
  window: true,
  part: true,
  pairs: true,
  mutates: true,
  inPlace: true,
};

/** Declares an op from PyTorch's own schema string. The callbacks' argument names and types come from that string. */
export function defineOp<const S extends string>(schema: S, rules: OpRules<S> = {}): OpRecord & TypedOp<S> {
  const parsed = parseSchema(schema);
  const unknown = Object.keys(rules).find((key) => !Object.hasOwn(RULES, key));
  if (unknown !== undefined) {
    const meant = similar(unknown, Object.keys(RULES));
    throw registryError("registry.rule", {
      what: `${parsed.name} is given \`${unknown}\`, which is not a rule${meant === undefined ? "" : `: \`${meant}\` is one`}`,
      advice: `the rules are ${Object.keys(RULES).join(", ")}`,
      details: { op: parsed.name, rule: unknown },
    });
  }
  return { ...(rules as OpRules<string>), name: parsed.name, schema: parsed };
}
