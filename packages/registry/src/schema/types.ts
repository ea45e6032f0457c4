import type { OpName } from "@pt2/graph";
import type { Complex, FloatScalar } from "../tensor-meta.ts";

/** The base type of a schema argument, as PyTorch's schema strings spell it. */
export type BaseType =
  | "Tensor"
  | "Scalar"
  | "int"
  | "SymInt"
  | "float"
  | "SymFloat"
  | "bool"
  | "SymBool"
  | "complex"
  | "number"
  | "str"
  | "ScalarType"
  | "Layout"
  | "MemoryFormat"
  | "Device"
  | "Generator"
  | "Dimname"
  | "Storage"
  | "Stream"
  | "Any";

/**
 * A type such as `Tensor?[]`, `int[2]?`, `SymInt[]`; the outermost wrapper comes first. A base that is not a {@link
 * BaseType} is a custom class (`__torch__.…`), a type variable (`t`) or a wrapper such as `Future(t)`, as text.
 */
export type SchemaType =
  | { readonly kind: "base"; readonly base: BaseType | (string & {}) }
  | { readonly kind: "optional"; readonly inner: SchemaType }
  | { readonly kind: "list"; readonly inner: SchemaType; readonly size: number | null }
  | { readonly kind: "dict"; readonly key: SchemaType; readonly value: SchemaType }
  | { readonly kind: "tuple"; readonly items: readonly SchemaType[] };

/** An alias annotation, `(a!)`: the alias set of a tensor, and whether the op writes to it. */
export interface AliasAnnotation {
  /** The letters of the alias sets; `*` is the wildcard. */
  readonly sets: readonly string[];
  readonly write: boolean;
  /** The alias sets after the call if they differ: `(a -> *)`. */
  readonly after?: readonly string[];
  /** Set if a list itself is annotated, `t[](a!)`, rather than its elements, `Tensor(a!)[]`. */
  readonly onList?: true;
}

/** A literal default; lists are arrays, `None` is null, enum defaults are strings such as `contiguous_format`. */
export type SchemaDefault =
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatScalar
  | Complex
  | readonly SchemaDefault[];

/** An argument of an op. */
export interface SchemaArgument {
  readonly name: string;
  readonly type: SchemaType;
  readonly alias: AliasAnnotation | null;
  /** Undefined if the argument is required. */
  readonly default: SchemaDefault | undefined;
  readonly kwargOnly: boolean;
  /** Whether an int beyond 2^53 is given as the bigint that it is. */
  readonly exact?: true;
}

/** A result of an op. */
export interface SchemaReturn {
  readonly name: string | null;
  readonly type: SchemaType;
  readonly alias: AliasAnnotation | null;
}

/** The schema of one overload of an operator. */
export interface OpSchema {
  /** The full name: `aten::add.Tensor`. */
  readonly name: OpName;
  readonly args: readonly SchemaArgument[];
  readonly returns: readonly SchemaReturn[];
  /** Set if `...` follows the last argument. */
  readonly vararg?: true;
}
