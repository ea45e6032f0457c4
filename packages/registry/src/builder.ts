import type { OpName } from "@pt2/graph";
import type { OpSchemas } from "./op-schemas.gen.ts";
import type { CallArgs, CallResults } from "./schema/infer-types.ts";
import type { ArgValue, TensorMeta } from "./tensor-meta.ts";

/** The names of the ops that this project defines. */
export type KnownOp = keyof OpSchemas;

/** A type-level property that holds the text of a schema; it does not exist at run time. */
declare const SCHEMA_TEXT: unique symbol;

/** A record whose schema the compiler knows. */
export interface TypedOp<S extends string = string> {
  readonly name: OpName;
  readonly [SCHEMA_TEXT]?: S;
}

/**
 * What a rule may call: an op of this project by its name, any op by its record, or an op by a name that is computed at
 * run time.
 */
export type Callable = KnownOp | TypedOp | (string & {});

/** The schema of an op as text; `string` if the compiler does not know it. */
export type SchemaOf<Op extends Callable> =
  Op extends TypedOp<infer S> ? S : Op extends KnownOp ? OpSchemas[Op] : string;

/**
 * The type of a call's op. All ops of this project's namespaces are known, so an unknown name in one of them is a
 * spelling mistake.
 */
export type Spelled<Op extends Callable> = Op extends `${NamespaceOf<KnownOp>}::${string}` ? KnownOp : Op;

type NamespaceOf<Op extends string> = Op extends `${infer Namespace}::${string}` ? Namespace : never;

/**
 * Emits ops inside a decomposition or a gradient. Each call infers its results at once, so a rule can branch on
 * concrete shapes. A tensor is identified by the meta object that a call (or the rule's own arguments) returned.
 * Arguments and results have the types of the op's schema. Missing arguments have the schema's defaults.
 */
export interface Builder {
  /** Emits `op` and returns its first result, which is a tensor. */
  tensor<const Op extends Callable>(op: Spelled<Op>, args: CallArgs<SchemaOf<Op>>): TensorMeta;
  /** Emits `op` and returns all results: one entry per return, a `Tensor[]` return as an array. */
  call<const Op extends Callable>(op: Spelled<Op>, args: CallArgs<SchemaOf<Op>>): CallResults<SchemaOf<Op>>;
}

/** Emits an op by its name; arguments and results are checked at run time. */
export type EmitCall = (op: OpName, args: Readonly<Record<string, ArgValue>>) => readonly ArgValue[];

/** Makes a builder that passes its calls to a function. */
export function builderOf(emit: EmitCall): Builder {
  const call = (op: Callable, args: Readonly<Record<string, ArgValue>>): readonly ArgValue[] =>
    emit(typeof op === "string" ? op : op.name, args);
  return { call, tensor: (op: Callable, args: Readonly<Record<string, ArgValue>>) => call(op, args)[0] } as Builder;
}
