import type { OpName } from "@pt2/graph";
import type { Complex, FloatScalar } from "../tensor-meta.ts";

/** Base type of a schema argument, as PyTorch's schema strings spell it. */
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
 * `Tensor?[]`, `int[2]?`, `SymInt[]`, … outermost wrapper first. A base outside {@link BaseType} is a custom class
 * (`__torch__.…`), a type variable (`t`) or a wrapper such as `Future(t)`, as text.
 */
export type SchemaType =
  | { readonly kind: "base"; readonly base: BaseType | (string & {}) }
  | { readonly kind: "optional"; readonly inner: SchemaType }
  | { readonly kind: "list"; readonly inner: SchemaType; readonly size: number | null }
  | { readonly kind: "dict"; readonly key: SchemaType; readonly value: SchemaType }
  | { readonly kind: "tuple"; readonly items: readonly SchemaType[] };

/** `(a!)`: which alias set a tensor belongs to and whether the op writes to it. */
export interface AliasAnnotation {
  /** Alias set letters; `*` is the wildcard. */
  readonly sets: readonly string[];
  readonly write: boolean;
  /** Alias sets after the call when they differ: `(a -> *)`. */
  readonly after?: readonly string[];
  /** Set when a list itself is annotated, `t[](a!)`, and not its elements, `Tensor(a!)[]`. */
  readonly onList?: true;
}

/** A literal default; lists appear as arrays, `None` as null, enum defaults as strings such as `contiguous_format`. */
export type SchemaDefault =
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatScalar
  | Complex
  | readonly SchemaDefault[];

export interface SchemaArgument {
  readonly name: string;
  readonly type: SchemaType;
  readonly alias: AliasAnnotation | null;
  /** `undefined`: the argument is required. */
  readonly default: SchemaDefault | undefined;
  readonly kwargOnly: boolean;
}

export interface SchemaReturn {
  readonly name: string | null;
  readonly type: SchemaType;
  readonly alias: AliasAnnotation | null;
}

/** One overload of one operator. */
export interface OpSchema {
  /** `aten::add.Tensor` */
  readonly name: OpName;
  readonly args: readonly SchemaArgument[];
  readonly returns: readonly SchemaReturn[];
  /** `...` after the last argument. */
  readonly vararg?: true;
}
