import type { OpName } from "@pt2/graph";
import type { ArgsOf, KnownOp, SchemaOf, TypedOp } from "@pt2/registry";

/** An op that a kernel runs: one of this project by its name, or any op by its record. */
export type KernelOp = KnownOp | TypedOp;

/**
 * The arguments of a kernel's calls by their names in the schemas of its ops. An argument that only some of the ops
 * have is undefined in calls of the others. What `Op` may be is not said here: TypeScript would parse all schemas first.
 */
export type KernelArgs<Op> = {
  readonly [Name in NameOf<ArgsOfEach<Op>>]: ArgOf<ArgsOfEach<Op>, Name>;
};

type ArgsOfEach<Op> = Op extends string | TypedOp ? ArgsOf<SchemaOf<Op>> : never;
type NameOf<Args> = Args extends unknown ? keyof Args : never;
type ArgOf<Args, Name> = Args extends unknown ? (Name extends keyof Args ? Args[Name] : undefined) : never;

/** Returns the names of a kernel's ops. */
export function namesOf(ops: readonly KernelOp[]): readonly OpName[] {
  return ops.map((op) => (typeof op === "string" ? op : op.name));
}
