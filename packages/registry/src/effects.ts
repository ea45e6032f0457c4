import type { OpName } from "@pt2/graph";
import type { OpAlias, OpEffects } from "@pt2/graph/passes";
import { ALIASES } from "./aliases.gen.ts";
import type { OpRecord } from "./op.ts";
import type { AliasAnnotation } from "./schema/types.ts";

/** The members of a record that determine its effects. */
export type Described = Pick<OpRecord, "schema" | "mutates" | "functional" | "inverse">;

/** Returns the effects of an op of PyTorch: those that its record declares, and those that were observed. */
export function effectsOf(record: Described): OpEffects {
  const effects = declaredEffects(record);
  const seen = seenAliases().get(record.schema.name);
  if (seen === undefined) return effects;
  const isSeen = (alias: OpAlias): boolean =>
    seen.some(({ output, arg }) => output === alias.output && arg === alias.arg);
  return { ...effects, aliases: [...effects.aliases.filter((alias) => !isSeen(alias)), ...seen] };
}

/** Returns the effects that a record declares, in its schema's annotations and in addition to them. */
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

/** Returns whether the result may or may not alias the argument: `Tensor(a) -> Tensor(b|a)`. */
function mayBeApart(given: AliasAnnotation | null, result: AliasAnnotation | null): boolean {
  const sets = [...(given?.sets ?? []), ...(given?.after ?? []), "*"];
  return result?.sets.some((set) => !sets.includes(set)) ?? false;
}

let parsed: ReadonlyMap<OpName, readonly OpAlias[]> | undefined;

/** Returns the observed aliases that schemas do not declare, or not completely. */
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
