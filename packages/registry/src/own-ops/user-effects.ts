import { type Described, declaredEffects, type OpEffects } from "../effects.ts";
import type { OpHandler } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import { scatterName } from "./scatter-variant.ts";

/**
 * Effects of an op that a handler takes. What its function returns for an argument that is written is what the argument
 * is afterwards, so it is its own functional form; tensors that it gives are never views.
 */
export function effectsOfHandled(
  record: (Described & Pick<OpRecord, "name">) | undefined,
  handler: OpHandler,
): OpEffects {
  if (record === undefined) return { mutates: [], aliases: [], claimed: true, opaque: true };
  const { mutates, aliases } = declaredEffects(record);
  const says = handler.compile !== undefined || (mutates.length > 0 && returnsWritten({ mutates, aliases }));
  return { mutates, aliases, claimed: true, ...(says ? { functional: record.name } : {}) };
}

/**
 * Effects of an op that has rules or kernels of its own. Those of a view tell how to write through it; those of an op in
 * place are its functional form where its results tell all that it writes.
 */
export function effectsOfOwn(record: OpRecord, effects: OpEffects): OpEffects {
  if (record.view !== undefined && record.functional === undefined) {
    return { inverse: { scatter: scatterName(record.name) }, ...effects };
  }
  const computes = effects.mutates.length > 0 && returnsWritten(effects);
  return computes ? { ...effects, functional: record.name } : effects;
}

/** Whether each argument that is written is also a result. */
function returnsWritten({ mutates, aliases }: Pick<OpEffects, "mutates" | "aliases">): boolean {
  return mutates.every((name) => aliases.some(({ arg }) => arg === name));
}
