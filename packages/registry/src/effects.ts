import type { OpName } from "@pt2/graph";
import type { OpHandler } from "./handler.ts";
import type { OpRecord } from "./op.ts";
import { scatterName } from "./scatter-variant.ts";
import type { AliasAnnotation } from "./schema/types.ts";

/** What a call does besides computing its results, as its schema's alias annotations say. */
export interface OpEffects {
  /** Arguments that the op writes to. */
  readonly mutates: readonly string[];
  /** Results that are, or may be, views of arguments. `output` counts returns. */
  readonly aliases: readonly { readonly output: number; readonly arg: string }[];
  /**
   * For an in-place op, `aten::add_.Tensor`: the op that computes the same value in a new tensor, `aten::add.Tensor`.
   * The value still has to be converted to the dtype of what is written to.
   */
  readonly functional?: OpName;
  /** For a view: the op that gives what it views with `src` written through it, `mine::corner_scatter`. */
  readonly scatter?: OpName;
  /** Whether somebody says himself what the op does: what is known of ops of that name does not hold. */
  readonly claimed?: true;
  /** Whether nothing says what the op writes to and aliases, only who runs it. */
  readonly opaque?: true;
}

/** What of a record effects follow from. */
type Described = Pick<OpRecord, "schema" | "mutates" | "functional" | "view">;

/** Effects of an op, from its schema and from what its record adds to it. */
export function effectsOf(record: Described): OpEffects {
  const { schema, mutates = [], functional, view } = record;
  const written = schema.args.filter((arg) => arg.alias?.write || mutates.includes(arg.name));
  const aliases = schema.returns.flatMap((result, output) =>
    schema.args.filter((arg) => overlap(arg.alias, result.alias)).map((arg) => ({ output, arg: arg.name })),
  );
  const effects: OpEffects = { mutates: written.map((arg) => arg.name), aliases };
  const writable = view !== undefined && functional === undefined;
  return {
    ...effects,
    ...(functional === undefined ? {} : { functional }),
    ...(writable ? { scatter: scatterName(schema.name) } : {}),
  };
}

/**
 * Effects of an op that a handler takes. What its function returns for an argument that is written is what the argument
 * is afterwards, so it is its own functional form; tensors that it gives are never views.
 */
export function effectsOfHandled(
  record: (Described & Pick<OpRecord, "name">) | undefined,
  handler: OpHandler,
): OpEffects {
  if (record === undefined) return { mutates: [], aliases: [], claimed: true, opaque: true };
  const { mutates, aliases } = effectsOf(record);
  const says = handler.compile !== undefined || (mutates.length > 0 && returnsWritten({ mutates, aliases }));
  return { mutates, aliases, claimed: true, ...(says ? { functional: record.name } : {}) };
}

/**
 * Effects of an op in place that is no twin of another: where its results tell all that it writes, its own rules and
 * kernels are its functional form.
 */
export function effectsOfOwn(record: OpRecord): OpEffects {
  const effects = effectsOf(record);
  const computes = effects.mutates.length > 0 && effects.functional === undefined && returnsWritten(effects);
  return computes ? { ...effects, functional: record.name } : effects;
}

/** Whether each argument that is written is also a result. */
function returnsWritten({ mutates, aliases }: Pick<OpEffects, "mutates" | "aliases">): boolean {
  return mutates.every((name) => aliases.some(({ arg }) => arg === name));
}

function overlap(a: AliasAnnotation | null, b: AliasAnnotation | null): boolean {
  return a?.sets.some((set) => b?.sets.includes(set)) === true;
}
