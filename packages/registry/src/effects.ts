import type { OpName } from "@pt2/graph";
import type { OpRecord } from "./op.ts";
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
}

/** Effects of an op, from its schema and from what its record adds to it. */
export function effectsOf(record: Pick<OpRecord, "schema" | "mutates" | "functional">): OpEffects {
  const { schema, mutates = [], functional } = record;
  const written = schema.args.filter((arg) => arg.alias?.write || mutates.includes(arg.name));
  const aliases = schema.returns.flatMap((result, output) =>
    schema.args.filter((arg) => overlap(arg.alias, result.alias)).map((arg) => ({ output, arg: arg.name })),
  );
  const effects: OpEffects = { mutates: written.map((arg) => arg.name), aliases };
  return functional === undefined ? effects : { ...effects, functional };
}

function overlap(a: AliasAnnotation | null, b: AliasAnnotation | null): boolean {
  return a?.sets.some((set) => b?.sets.includes(set)) === true;
}
