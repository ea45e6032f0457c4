import type { OpEffects } from "@pt2/graph/passes";
import { type Described, declaredEffects } from "../effects.ts";
import type { OpHandler } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import { scatterName } from "./scatter-variant.ts";

/**
 * Returns the effects of an op with a handler. The handler's function returns the new value of a written argument, so
 * the op is its own functional variant; tensors that it returns are never views.
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
 * Returns the effects of an op that has rules or kernels of a user. For a view they include how to write through it; an
 * in-place op is its own functional variant if its results include everything that it writes.
 */
export function effectsOfUser(record: OpRecord, effects: OpEffects): OpEffects {
  if (record.view !== undefined && record.functional === undefined) {
    return { inverse: { scatter: scatterName(record.name) }, ...effects };
  }
  const computes = effects.mutates.length > 0 && returnsWritten(effects);
  return computes ? { ...effects, functional: record.name } : effects;
}

/** Returns whether each written argument is also a result. */
function returnsWritten({ mutates, aliases }: Pick<OpEffects, "mutates" | "aliases">): boolean {
  return mutates.every((name) => aliases.some(({ arg }) => arg === name));
}
