import type { OpName } from "@pt2/graph";
import type { OpSchemas } from "./op-schemas.gen.ts";
import type { CallArgs, CallResults } from "./schema/infer-types.ts";
import type { ArgValue, TensorMeta } from "./tensor-meta.ts";

/** Names of the ops that come with this project. */
export type KnownOp = keyof OpSchemas;

/** Carries the text of a schema through the compiler; nothing has it when the program runs. */
declare const SCHEMA_TEXT: unique symbol;

/** A record whose schema the compiler knows. */
export interface TypedOp<S extends string = string> {
  readonly name: OpName;
  readonly [SCHEMA_TEXT]?: S;
}

/** What a rule may call: an op of this project by its name, any op by its record, or one by a name found at run time. */
export type Callable = KnownOp | TypedOp | (string & {});

/** The schema of an op, as text; `string` where the compiler cannot know it. */
export type SchemaOf<Op extends Callable> =
  Op extends TypedOp<infer S> ? S : Op extends KnownOp ? OpSchemas[Op] : string;

/** Of the namespaces that this project defines all ops are known, so a name that is not is misspelt. */
export type Spelt<Op extends Callable> = Op extends `${NamespaceOf<KnownOp>}::${string}` ? KnownOp : Op;

type NamespaceOf<Op extends string> = Op extends `${infer Namespace}::${string}` ? Namespace : never;

/**
 * Emits ops inside a decomposition or a gradient. Each call infers its results at once, so a rule can branch on
 * concrete shapes; a tensor is the meta object that a call (or the rule's own arguments) gave, by identity.
 * Arguments and results have the types that the op's schema says. Arguments that are left out take its defaults.
 */
export interface Builder {
  /** The first result of `op`, which is a tensor. */
  tensor<const Op extends Callable>(op: Spelt<Op>, args: CallArgs<SchemaOf<Op>>): TensorMeta;
  /** All results of `op`: one entry per return, a `Tensor[]` return as an array. */
  call<const Op extends Callable>(op: Spelt<Op>, args: CallArgs<SchemaOf<Op>>): CallResults<SchemaOf<Op>>;
}

/** Emits an op by its name, whose arguments and results are checked when it runs. */
export type EmitCall = (op: OpName, args: Readonly<Record<string, ArgValue>>) => readonly ArgValue[];

/** A builder that gives its calls to a function. */
export function builderOf(emit: EmitCall): Builder {
  const call = (op: Callable, args: Readonly<Record<string, ArgValue>>): readonly ArgValue[] =>
    emit(typeof op === "string" ? op : op.name, args);
  return { call, tensor: (op: Callable, args: Readonly<Record<string, ArgValue>>) => call(op, args)[0] } as Builder;
}
