import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { generateError } from "./generate-errors.ts";

/** How a text is continued, with the names and meanings of `GenerationConfig` of transformers. */
export interface GenerationSettings {
  /** The number of new tokens after which a text ends. @default 20 */
  readonly maxNewTokens?: number;
  /** The number of new tokens before which no end token comes. @default 0 */
  readonly minNewTokens?: number;
  /** Draws tokens at random; without it, each is the most probable one. @default false */
  readonly doSample?: boolean;
  /** Logits are divided by it, above 0. Of a sample only. @default 1 */
  readonly temperature?: number;
  /** Draws from this many of the most probable tokens; 0: from all. Of a sample only. @default 50 */
  readonly topK?: number;
  /** Draws from the fewest tokens that have this probability together. Of a sample only. @default 1 */
  readonly topP?: number;
  /** Draws from tokens that have this share of the probability of the most probable one. Of a sample only. @default 0 */
  readonly minP?: number;
  /** Logits of tokens in the text are divided by it, or multiplied if below 0. @default 1 */
  readonly repetitionPenalty?: number;
  /** No sequence of this many tokens comes twice in the text; 0: any may. @default 0 */
  readonly noRepeatNgramSize?: number;
  /** Tokens that never come. @default none */
  readonly suppressTokens?: readonly number[];
  /** Tokens that are not the first new one. @default none */
  readonly beginSuppressTokens?: readonly number[];
  /** The first token after the one that the text of a model with an encoder begins with, such as a language; null: any. @default null */
  readonly forcedBosTokenId?: number | null;
  /** The last token of a text that has as many as were asked for; null: any. @default null */
  readonly forcedEosTokenId?: number | null;
  /** The tokens that end a text; it is the last one of the text. @default none */
  readonly eosTokenId?: number | readonly number[];
}

/** Settings of which none is left out. */
export type Settings = Required<GenerationSettings> & { readonly eosTokenId: readonly number[] };

const DEFAULTS: Settings = {
  maxNewTokens: 20,
  minNewTokens: 0,
  doSample: false,
  temperature: 1,
  topK: 50,
  topP: 1,
  minP: 0,
  repetitionPenalty: 1,
  noRepeatNgramSize: 0,
  suppressTokens: [],
  beginSuppressTokens: [],
  forcedBosTokenId: null,
  forcedEosTokenId: null,
  eosTokenId: [],
};

/** The types of the settings, for {@link requireOptions}. */
export const SETTING_TYPES: OptionTypes = {
  maxNewTokens: "number",
  minNewTokens: "number",
  doSample: "boolean",
  temperature: "number",
  topK: "number",
  topP: "number",
  minP: "number",
  repetitionPenalty: "number",
  noRepeatNgramSize: "number",
  suppressTokens: "array",
  beginSuppressTokens: "array",
  forcedBosTokenId: "unknown",
  forcedEosTokenId: "unknown",
  eosTokenId: "unknown",
};

/**
 * What a `generation_config.json` may ask for and nothing here does, with the values that ask for nothing. A text that is
 * generated otherwise than the file says would be another text.
 */
const NOTHING_ASKED: Readonly<Record<string, readonly unknown[]>> = {
  num_beams: [1],
  num_return_sequences: [1],
  guidance_scale: [1],
  penalty_alpha: [0],
  typical_p: [1],
  epsilon_cutoff: [0],
  eta_cutoff: [0],
  top_h: [],
  min_length: [0],
  sequence_bias: [],
  bad_words_ids: [],
  encoder_repetition_penalty: [1],
  encoder_no_repeat_ngram_size: [0],
  remove_invalid_values: [false],
  exponential_decay_length_penalty: [],
  stop_strings: [],
  watermarking_config: [],
  dola_layers: [],
};

/** Reads what a `generation_config.json` says. Throws `generate.folder` for what nothing here does. */
export function settingsOf(config: Readonly<Record<string, unknown>>, where: string): GenerationSettings {
  for (const [name, neutral] of Object.entries(NOTHING_ASKED)) {
    const value = config[name] ?? null;
    if (value === null || neutral.includes(value)) continue;
    throw generateError("generate.folder", {
      what: `The settings ask for \`${name}\`: ${JSON.stringify(value)}, which is not done here`,
      where,
      advice: "give the option `generationConfig` with the settings to use instead",
      details: { name },
    });
  }
  const found = Object.keys(SETTING_TYPES).flatMap((name) => {
    const value = config[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** Completes and checks settings: those of a call go before those of the model. Throws `generate.options`. */
export function completeSettings(model: GenerationSettings, call: GenerationSettings): Settings {
  const given = Object.entries({ ...model, ...call }).filter(([, value]) => value !== undefined && value !== null);
  const settings = { ...DEFAULTS, ...Object.fromEntries(given) } as Required<GenerationSettings>;
  requireOptions("generate()", settings, SETTING_TYPES, "generate.options");
  const { eosTokenId, ...rest } = settings;
  const tokens = typeof eosTokenId === "number" ? [eosTokenId] : eosTokenId;
  for (const [name, { is, range }] of Object.entries(RANGES)) {
    const value = name === "eosTokenId" ? tokens : rest[name as keyof typeof rest];
    if (is(value)) continue;
    throw generateError("generate.options", {
      what: `\`${name}\` is ${JSON.stringify(value)}, but must be ${range}`,
      advice: "Settings have the names and the meanings of transformers' GenerationConfig.",
      details: { name },
    });
  }
  return { ...rest, eosTokenId: tokens };
}

interface Range {
  readonly is: (value: unknown) => boolean;
  readonly range: string;
}

const COUNT: Range = {
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  range: "an integer from 0 on",
};
const SHARE: Range = { is: (value) => Number(value) >= 0 && Number(value) <= 1, range: "a number from 0 to 1" };
const POSITIVE: Range = { is: (value) => Number(value) > 0 && Number.isFinite(value), range: "a number above 0" };
const TOKEN: Range = { is: (value) => value === null || COUNT.is(value), range: "a token, or null" };
const TOKENS: Range = { is: (value) => Array.isArray(value) && value.every(COUNT.is), range: "an array of tokens" };

const RANGES: Readonly<Partial<Record<keyof Settings, Range>>> = {
  maxNewTokens: { is: (value) => COUNT.is(value) && value !== 0, range: "an integer from 1 on" },
  minNewTokens: COUNT,
  temperature: POSITIVE,
  topK: COUNT,
  topP: SHARE,
  minP: SHARE,
  repetitionPenalty: POSITIVE,
  noRepeatNgramSize: COUNT,
  suppressTokens: TOKENS,
  beginSuppressTokens: TOKENS,
  forcedBosTokenId: TOKEN,
  forcedEosTokenId: TOKEN,
  eosTokenId: { is: TOKENS.is, range: "a token or an array of tokens" },
};
