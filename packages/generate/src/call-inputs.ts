import { type Tensor, tensor, type Value, zeros } from "@pt2/runtime";
import { generateError } from "./generate-errors.ts";
import type { Role } from "./roles.ts";

/** New tokens of a text, of which `past` tokens are known to the model. */
export interface NewTokens {
  readonly tokens: readonly number[];
  readonly past: number;
  /** What the model keeps of the text before, by the name of the leaf. */
  readonly caches: ReadonlyMap<string, Value>;
  /** What an encoder made, by the name of the role. */
  readonly encoded?: ReadonlyMap<string, Value>;
}

/** Returns the leaves of a call that tells a model of new tokens. */
export function callInputs(roles: readonly Role[], { tokens, past, caches, encoded }: NewTokens): readonly Value[] {
  const places = tokens.map((_, i) => past + i);
  return roles.map((role): Value => {
    switch (role.kind) {
      case "tokens":
        return tensor(role.dtype, [1, tokens.length], tokens);
      case "positions":
        return tensor(role.dtype, role.rank === 1 ? [tokens.length] : [1, tokens.length], places);
      case "length":
        return tensor(role.dtype, [], [past]);
      case "mask":
        if (role.isOfNew) return tensor(role.dtype, [1, tokens.length], Array(tokens.length).fill(1));
        return maskOf(role, places, role.shape.at(-1) ?? staticLength(caches) ?? past + tokens.length);
      case "cache":
        // Before the first token there is nothing in a cache, and its counters are zero.
        return (
          caches.get(role.name) ??
          zeros(
            role.shape.map((size) => size ?? 1),
            { dtype: role.dtype },
          )
        );
      case "encoded":
        return encodedBy(role.name, encoded);
      default:
        return role.value;
    }
  });
}

function encodedBy(name: string, encoded: NewTokens["encoded"]): Value {
  const value = encoded?.get(name);
  if (value !== undefined) return value;
  throw generateError("generate.prompt", {
    what: `The decoder takes \`${name}\` of what the encoder reads, which is not given`,
    advice: "give it in the option `encoderInputs`",
  });
}

/** The length of caches that have one from the beginning, and count how many of their rows are used. */
export function staticLength(caches: NewTokens["caches"]): number | undefined {
  for (const [name, cache] of caches) {
    const isCounted = name.endsWith(".keys") && caches.has(name.replace(/keys$/, "cumulative_length"));
    if (isCounted) return (cache as Tensor).shape.at(-2);
  }
  return undefined;
}

/** A row for all new tokens, or one for each, `total` long; the places that it sees are its own and those before. */
function maskOf({ dtype, shape }: Role & { readonly kind: "mask" }, places: readonly number[], total: number): Tensor {
  const last = shape.length === 2 ? [places.at(-1)!] : places;
  const sizes = shape.length === 2 ? [1, total] : [1, 1, places.length, total];
  // A mask of floating point numbers is added to the attention's scores.
  const [seen, unseen] = dtype.startsWith("float") || dtype === "bfloat16" ? [0, Number.NEGATIVE_INFINITY] : [1, 0];
  const elements = last.flatMap((own) => Array.from({ length: total }, (_, place) => (place <= own ? seen : unseen)));
  return tensor(dtype, sizes, elements);
}
