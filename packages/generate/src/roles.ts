import type { DType } from "@pt2/format";
import type { Constant, LeafInfo } from "@pt2/runtime";
import { generateError } from "./generate-errors.ts";

/** What a leaf of a call is to the generation of tokens. Sizes are numbers, or null where they may change. */
export type Role =
  /** The tokens, integers [1, n]. */
  | { readonly kind: "tokens"; readonly dtype: DType }
  /** Which tokens are there, [1, n], or which of them each new token sees, [1, 1, n, n]; or the new ones alone, [1, n]. */
  | {
      readonly kind: "mask";
      readonly dtype: DType;
      readonly shape: readonly (number | null)[];
      readonly isOfNew: boolean;
    }
  /** The places of the new tokens in the text, integers [1, n] or [n]. */
  | { readonly kind: "positions"; readonly name: string; readonly dtype: DType; readonly rank: number }
  /** What the model keeps of the text before; `value` is its name in the graph. */
  | {
      readonly kind: "cache";
      readonly name: string;
      readonly value: string;
      readonly dtype: DType;
      readonly shape: readonly (number | null)[];
    }
  /** What the encoder made, `encoder_outputs.last_hidden_state`, or which of its inputs are there, `attention_mask`. */
  | { readonly kind: "encoded"; readonly name: string }
  /** The number of tokens of the text before, an integer []. */
  | { readonly kind: "length"; readonly dtype: DType }
  /** A value that was fixed at export. */
  | { readonly kind: "constant"; readonly value: Constant };

/**
 * Returns the roles of the leaves of a call, by the names that transformers gives them. Throws `generate.program` for a leaf
 * that is none of them: nothing here knows what to pass.
 */
export function rolesOf(leaves: readonly LeafInfo[]): readonly Role[] {
  const roles = leaves.map((leaf) => roleOf(leaf, leaves));
  if (roles.filter(({ kind }) => kind === "tokens").length === 1) return roles;
  throw generateError("generate.program", {
    what: "The program has no input `input_ids` or `decoder_input_ids` of integers, [sequences, tokens]",
    where: `its inputs: ${leaves.map(({ name }) => name).join(", ")}`,
    advice: "export the model with its head for language, such as AutoModelForCausalLM",
  });
}

/** Models whose layers see the text in two ways take a mask for each. */
const MASK = /^attention_mask(\.(full|sliding)_attention)?$/;
/** Layers that keep a state instead of keys and values see the new tokens alone. */
const MASK_OF_NEW = /^attention_mask\.(conv|linear_attention|mamba)$/;

const ENCODED = /^(encoder_outputs\.\w+|attention_mask)$/;

/** Whether the leaves of a call are those of a decoder that reads what an encoder made. */
export function hasEncoder(leaves: readonly LeafInfo[]): boolean {
  return leaves.some(({ name }) => name === "decoder_input_ids");
}

function roleOf({ name: given, value, type }: LeafInfo, leaves: readonly LeafInfo[]): Role {
  if (type.kind === "constant") return { kind: "constant", value: type.value };
  const isDecoder = hasEncoder(leaves);
  if (isDecoder && ENCODED.test(given)) return { kind: "encoded", name: given };
  const name = isDecoder ? given.replace(/^decoder_/, "") : given;
  if (type.kind === "tensor") {
    const { dtype } = type;
    const shape = type.shape.map((size) => (typeof size === "number" ? size : null));
    const isInteger = dtype === "int64" || dtype === "int32";
    if (isInteger && shape.length === 2 && (name === "input_ids" || leaves.length === 1))
      return { kind: "tokens", dtype };
    if (MASK.test(name) && (shape.length === 2 || shape.length === 4))
      return { kind: "mask", dtype, shape, isOfNew: false };
    if (MASK_OF_NEW.test(name) && shape.length === 2) return { kind: "mask", dtype, shape, isOfNew: true };
    if (isInteger && (name === "position_ids" || name === "cache_position") && shape.length <= 2)
      return { kind: "positions", name, dtype, rank: shape.length };
    // A cache is an argument of its own, and so its tensors have a path.
    if (value !== null && /^\w+[.[]/.test(name)) return { kind: "cache", name, value, dtype, shape };
  }
  throw generateError("generate.program", {
    what: `The program takes \`${given}\`, and what that is to the generation of tokens is not known`,
    where: `its inputs: ${leaves.map((leaf) => leaf.name).join(", ")}`,
    advice:
      "models are generated with that take input_ids, attention_mask, position_ids, cache_position and the cache that they return; call others with `load` of @pt2/runtime",
    details: { name: given },
  });
}

/** Throws `generate.program` unless a call may have one sequence. */
export function requireOneSequence(leaves: readonly LeafInfo[]): void {
  for (const { name, type } of leaves) {
    if (!/^(decoder_)?input_ids$/.test(name) || type.kind !== "tensor") continue;
    const [sequences] = type.shape;
    if (typeof sequences !== "number" || sequences === 1) continue;
    throw generateError("generate.program", {
      what: `The program takes ${sequences} texts at once, and only that`,
      where: `input \`${name}\``,
      advice: "export it with `DynamoConfig(dynamic=True)`, or with one text as its input",
    });
  }
}
