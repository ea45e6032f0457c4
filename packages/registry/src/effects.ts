import type { OpName } from "@pt2/graph";
import type { ViewInverse } from "@pt2/graph/passes";
import { ALIASES } from "./aliases.gen.ts";
import type { OpRecord } from "./op.ts";
import type { AliasAnnotation } from "./schema/types.ts";

/** A result that lies in the memory of an argument. Of lists, each item lies in that of the one at its position. */
export interface OpAlias {
  /** Position among the returns. */
  readonly output: number;
  readonly arg: string;
  /** Whether some calls copy instead: those that PyTorch decides about when they run. */
  readonly copies?: boolean;
}

/** What a call does besides computing its results. */
export interface OpEffects {
  /** Arguments that the op writes to. */
  readonly mutates: readonly string[];
  /** Results that are, or may be, views of arguments: as the schema says, and as PyTorch was seen to do. */
  readonly aliases: readonly OpAlias[];
  /**
   * For an in-place op, `aten::add_.Tensor`: the op that computes the same value in a new tensor, `aten::add.Tensor`.
   * The value still has to be converted to the dtype of what is written to.
   */
  readonly functional?: OpName;
  /** For a view: how it is written through. */
  readonly inverse?: ViewInverse;
  /** Whether a user defines what the op does: facts about ops of that name then do not hold. */
  readonly claimed?: true;
  /** Whether nothing says what the op writes to and aliases, only who runs it. */
  readonly opaque?: true;
}

/** What of a record effects follow from. */
export type Described = Pick<OpRecord, "schema" | "mutates" | "functional" | "inverse">;

/** Effects of an op of PyTorch's: what its record declares, and what it was seen to do. */
export function effectsOf(record: Described): OpEffects {
  const effects = declaredEffects(record);
  const seen = seenAliases().get(record.schema.name);
  if (seen === undefined) return effects;
  const isSeen = (alias: OpAlias): boolean =>
    seen.some(({ output, arg }) => output === alias.output && arg === alias.arg);
  return { ...effects, aliases: [...effects.aliases.filter((alias) => !isSeen(alias)), ...seen] };
}

/** Effects as a record declares them: by its schema's annotations, and by what it adds to them. */
export function declaredEffects(record: Described): OpEffects {
  const { schema, mutates = [], functional, inverse } = record;
  const written = schema.args.filter((arg) => arg.alias?.write || mutates.includes(arg.name));
  const aliases = schema.returns.flatMap((result, output) =>
    schema.args
      .filter((arg) => overlap(arg.alias, result.alias))
      .map((arg): OpAlias => ({ output, arg: arg.name, ...(mayBeApart(arg.alias, result.alias) && { copies: true }) })),
  );
  return {
    mutates: written.map((arg) => arg.name),
    aliases,
    ...(functional === undefined ? {} : { functional }),
    ...(inverse === undefined ? {} : { inverse }),
  };
}

function overlap(a: AliasAnnotation | null, b: AliasAnnotation | null): boolean {
  if (a === null || b === null) return false;
  return [...a.sets, ...(a.after ?? [])].some((set) => b.sets.includes(set) || b.sets.includes("*"));
}

/** `Tensor(a) -> Tensor(b|a)`: a result of the argument's set or of another one. */
function mayBeApart(given: AliasAnnotation | null, result: AliasAnnotation | null): boolean {
  const sets = [...(given?.sets ?? []), ...(given?.after ?? []), "*"];
  return result?.sets.some((set) => !sets.includes(set)) ?? false;
}

let parsed: ReadonlyMap<OpName, readonly OpAlias[]> | undefined;

/** Aliases that schemas do not tell, or not the whole of. */
function seenAliases(): ReadonlyMap<OpName, readonly OpAlias[]> {
  if (parsed !== undefined) return parsed;
  const byOp = new Map<OpName, OpAlias[]>();
  for (const line of ALIASES.split("\n")) {
    const [op, output, arg, copies] = line.split(" ") as [OpName, string, string, string?];
    const alias = { output: Number(output), arg, ...(copies === undefined ? {} : { copies: true }) };
    const others = byOp.get(op) ?? [];
    others.push(alias);
    byOp.set(op, others);
  }
  parsed = byOp;
  return byOp;
}
