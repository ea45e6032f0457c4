/**
 * Derives the types of an op's callbacks from its schema string, at compile time.
 *
 * It accepts some invalid schemas, which the run-time parser rejects (`schema/parse.ts`): it only has to find names and
 * types. A default list such as `[1, 1]` is split at its comma into a piece without a space, which is skipped.
 */
import type { DType } from "@pt2/format";

import type { ScalarExpr } from "../scalar/expr.ts";
import type { ArgValue, FloatScalar, HandlerTensor, Scalar, TensorMeta } from "../tensor-meta.ts";

/** The resolved arguments of the op, by name. */
export type ArgsOf<S extends string> = string extends S
  ? // biome-ignore lint/suspicious/noExplicitAny: an erased record accepts whatever its schema says
    Readonly<Record<string, any>>
  : S extends `${string}(${infer Args}) -> ${string}`
    ? ArgRecord<Split<StripAliases<Args>>[number]>
    : never;

/** The resolved arguments of the op, by name; tensors have their elements. */
export type DataOf<S extends string> = {
  readonly [Name in keyof ArgsOf<S>]: WithData<ArgsOf<S>[Name]>;
};

type WithData<Arg> = Arg extends TensorMeta
  ? HandlerTensor
  : Arg extends readonly TensorMeta[]
    ? readonly HandlerTensor[]
    : Arg;

/**
 * The arguments of a call of the op, by name: arguments with a default are optional, a number is accepted for a tensor
 * or for a whole list of fixed length, and an integer or a `FloatScalar` for a float.
 */
export type CallArgs<S extends string> = string extends S
  ? Readonly<Record<string, ArgValue | undefined>>
  : S extends `${string}(${infer Args}) -> ${string}`
    ? GivenArgs<Split<StripAliases<Args>>[number]>
    : never;

/** The results of a call of the op: one entry for each return, a `Tensor[]` return as an array. */
export type CallResults<S extends string> = string extends S
  ? readonly ArgValue[]
  : S extends `${string}) -> ${infer R}`
    ? ReturnEntries<StripAliases<R>>
    : never;

/** The operands of a scalar rule, in schema order. */
export type Operands<S extends string> = string extends S
  ? // biome-ignore lint/suspicious/noExplicitAny: an erased record accepts whatever its schema says
    readonly any[]
  : S extends `${string}(${infer Args}) -> ${string}`
    ? OperandTuple<Split<StripAliases<Args>>>
    : never;

/** What a rule returns: a tensor, a tuple for several returns, an array for `Tensor[]`, nothing for `()`. */
export type ResultsOf<S extends string> = string extends S
  ? ArgValue | undefined
  : S extends `${string}) -> ${infer R}`
    ? ReturnType<StripAliases<R>>
    : never;

type ReturnType<R extends string> = R extends "()"
  ? undefined
  : R extends `(${infer Inner})`
    ? ReturnTuple<Split<Inner>>
    : TypeOf<R>;

type ReturnTuple<P extends readonly string[]> = {
  readonly [K in keyof P]: P[K] extends `${infer T} ${string}` ? TypeOf<T> : TypeOf<P[K]>;
};

type ReturnEntries<R extends string> = R extends "()"
  ? readonly []
  : R extends `(${infer Inner})`
    ? ReturnTuple<Split<Inner>>
    : readonly [TypeOf<R extends `${infer T} ${string}` ? T : R>];

type GivenArgs<P extends string> = { readonly [K in P as RequiredName<K>]: GivenOf<TypeTextOf<K>> } & {
  readonly [K in P as DefaultedName<K>]?: GivenOf<TypeTextOf<K>> | undefined;
};

/** Splits at commas; those inside lists are handled by skipping pieces. */
type Split<S extends string, Acc extends readonly string[] = []> = S extends `${infer Head}, ${infer Tail}`
  ? Split<Tail, [...Acc, Head]>
  : S extends ""
    ? Acc
    : [...Acc, S];

/** `Tensor(a!)` and `Tensor(a -> *)` become `Tensor`. */
type StripAliases<S extends string> = S extends `${infer Head}Tensor(${string})${infer Tail}`
  ? `${Head}Tensor${StripAliases<Tail>}`
  : S;

type ArgRecord<P extends string> = { readonly [K in P as NameOf<K>]: TypeOf<TypeTextOf<K>> };

type OperandTuple<P extends readonly string[], Acc extends readonly unknown[] = []> = P extends readonly [
  infer Head extends string,
  ...infer Tail extends readonly string[],
]
  ? OperandTuple<Tail, NameOf<Head> extends never ? Acc : [...Acc, OperandOf<TypeTextOf<Head>>]>
  : Acc;

type NameOf<P extends string> = P extends `${string} ${infer Name}=${string}`
  ? Name
  : P extends `${string} ${infer Name}`
    ? Name
    : never;

type RequiredName<P extends string> = P extends `${string}=${string}` ? never : NameOf<P>;

type DefaultedName<P extends string> = P extends `${string}=${string}` ? NameOf<P> : never;

type TypeTextOf<P extends string> = P extends `${infer T} ${string}` ? T : never;

type TypeOf<T extends string> = T extends `${infer Inner}?`
  ? TypeOf<Inner> | null
  : T extends `${infer Inner}[${string}]`
    ? readonly TypeOf<Inner>[]
    : T extends keyof BaseTypes
      ? BaseTypes[T]
      : ArgValue;

type GivenOf<T extends string> = T extends `${infer Inner}?`
  ? GivenOf<Inner> | null
  : T extends `${infer Inner}[]`
    ? readonly GivenOf<Inner>[]
    : T extends `${infer Inner}[${string}]`
      ? readonly GivenOf<Inner>[] | GivenOf<Inner>
      : T extends "Tensor"
        ? TensorMeta | Scalar
        : T extends "float" | "SymFloat"
          ? number | FloatScalar
          : TypeOf<T>;

type OperandOf<T extends string> = T extends `${infer Inner}?`
  ? OperandOf<Inner> | null
  : T extends "Tensor" | "Scalar" | "float" | "int" | "SymInt" | "number"
    ? ScalarExpr
    : TypeOf<T>;

interface BaseTypes {
  readonly Tensor: TensorMeta;
  readonly Scalar: Scalar;
  readonly number: Scalar;
  readonly complex: Scalar;
  readonly int: number;
  readonly SymInt: number;
  readonly float: number;
  readonly SymFloat: number;
  readonly bool: boolean;
  readonly SymBool: boolean;
  readonly str: string;
  readonly ScalarType: DType;
  readonly Layout: string;
  readonly MemoryFormat: string;
  readonly Device: string;
  readonly Generator: null;
}
