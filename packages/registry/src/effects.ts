import type { OpName } from "@pt2/graph";
import { packetOf } from "./op-name.ts";
import type { AliasAnnotation, OpSchema } from "./schema/types.ts";

/** What a call does besides computing its results, as its schema's alias annotations say. */
export interface OpEffects {
  /** Arguments that the op writes to. */
  readonly mutates: readonly string[];
  /** Results that are, or may be, views of arguments. `output` counts returns. */
  readonly aliases: readonly { readonly output: number; readonly arg: string }[];
  /**
   * For an op that writes to its first argument and returns it, `aten::add_.Tensor`: the op that computes the same
   * value in a new tensor, `aten::add.Tensor`. The value still has to be converted to the argument's dtype.
   */
  readonly functional?: OpName;
}

/**
 * Effects of an op. `hidden` names arguments that it writes to although its schema does not say so; records carry
 * them as `mutates`.
 */
export function effectsOf(schema: OpSchema, hidden: readonly string[] = []): OpEffects {
  const written = schema.args.filter((arg) => arg.alias?.write || hidden.includes(arg.name));
  const aliases = schema.returns.flatMap((result, output) =>
    schema.args.filter((arg) => overlap(arg.alias, result.alias)).map((arg) => ({ output, arg: arg.name })),
  );
  const effects: OpEffects = { mutates: written.map((arg) => arg.name), aliases };
  const functional = functionalName(schema.name);
  const inPlace = functional !== null && schema.args[0]?.alias?.write === true;
  return inPlace ? { ...effects, functional } : effects;
}

/** `aten::add.Tensor` for `aten::add_.Tensor`; null for a name that is not in-place. */
export function functionalName(name: OpName): OpName | null {
  const packet = packetOf(name);
  if (!packet.endsWith("_") || packet.endsWith("__")) return null;
  return packet.slice(0, -1) + name.slice(packet.length);
}

function overlap(a: AliasAnnotation | null, b: AliasAnnotation | null): boolean {
  return a?.sets.some((set) => b?.sets.includes(set)) === true;
}
