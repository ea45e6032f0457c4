import type { Backend } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { LeafInfo } from "@pt2/runtime";
import type { Decoder } from "./decoder.ts";
import type { Encoded, Encoder, EncoderInputs } from "./encoder.ts";
import { generateError } from "./generate-errors.ts";
import { Sampler } from "./sampler.ts";
import { completeSettings, type GenerationSettings, SETTING_TYPES, type Settings } from "./settings.ts";

/** Options of a text. Settings that are left out are those of the model. */
export interface GenerateOptions extends GenerationSettings {
  /**
   * What the encoder of a model reads that has one, by name: `{ input_ids: tokens }`, `{ input_features: tensor }`. Tensors stay
   * the caller's; `attention_mask` may be left out where all tokens are there.
   */
  readonly encoderInputs?: EncoderInputs;
  /** Seeds the backend's random numbers before the first one is drawn, as `torch.manual_seed` does. */
  readonly seed?: number | bigint;
  /** Aborts the text: the loop over it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Why a text ended: with an end token, or with as many tokens as were asked for. */
export type GenerationEnd = "eos" | "length";

const OPTIONS: OptionTypes = { ...SETTING_TYPES, encoderInputs: "object", seed: "unknown", signal: "AbortSignal" };

/** What a language model consists of, which is the model's then. */
export interface LanguageModelParts {
  readonly backend: Backend;
  readonly decoder: Decoder;
  readonly settings: GenerationSettings;
  readonly encoder?: Encoder | null;
  /** The token that a text begins with which has no other beginning. */
  readonly start?: number | null;
}

/** A loaded language model. */
export class LanguageModel implements AsyncDisposable {
  readonly #backend: Backend;
  readonly #decoder: Decoder;
  readonly #encoder: Encoder | null;
  readonly #start: number | null;
  readonly #sampler: Sampler;
  readonly #settings: GenerationSettings;
  #isDisposed = false;

  constructor({ backend, decoder, settings, encoder = null, start = null }: LanguageModelParts) {
    this.#backend = backend;
    this.#decoder = decoder;
    this.#encoder = encoder;
    this.#start = start;
    this.#sampler = new Sampler(backend);
    this.#settings = settings;
  }

  /** The most tokens of a text, prompt included; null: as many as there is memory for. */
  get capacity(): number | null {
    return this.#decoder.capacity;
  }

  /** What its encoder reads, by the names of `encoderInputs`; null: it has none. */
  get encoderInputs(): readonly LeafInfo[] | null {
    return this.#encoder?.inputs ?? null;
  }

  /**
   * Continues a prompt of tokens, and yields each new token as soon as it is chosen, the end token too. The loop may be left at
   * any time. With an encoder the prompt may be empty, and is `decoder_start_token_id` then. Throws `generate.length` before it
   * begins if prompt and `maxNewTokens` are longer than the capacity, and `generate.busy` if the model keeps its caches and is
   * generating another text.
   */
  async *generate(
    prompt: readonly number[] | BigInt64Array,
    options: GenerateOptions = {},
  ): AsyncGenerator<number, GenerationEnd, undefined> {
    requireOptions("generate()", options, OPTIONS, "generate.options");
    const { encoderInputs, seed, signal, ...call } = options;
    const settings = completeSettings(this.#settings, call);
    const text = tokensOf(prompt, this.#encoder === null ? null : this.#start);
    this.#requireRoom(text.length, settings.maxNewTokens);
    if (this.#isDisposed) {
      throw generateError("generate.disposed", { what: "The language model was disposed", advice: "load it again" });
    }
    signal?.throwIfAborted();
    const encoded = await this.#encode(encoderInputs, signal);
    try {
      if (seed !== undefined) this.#backend.manualSeed?.(seed);
      return yield* this.#continue(text, settings, encoded, signal);
    } finally {
      encoded?.free();
    }
  }

  async *#continue(
    text: number[],
    settings: Settings,
    encoded: Encoded | null,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<number, GenerationEnd, undefined> {
    const reader = this.#decoder.begin(encoded?.values);
    try {
      let unread: readonly number[] = text.slice();
      for (let created = 0; created < settings.maxNewTokens; created++) {
        const logits = await reader.read(unread, signal);
        let token: number;
        try {
          token = await this.#sampler.next(logits, text, created, settings);
        } finally {
          logits.dispose?.();
        }
        // A token that is known has been drawn, too: random numbers go on as in transformers.
        token = forcedToken(text.length, created, settings) ?? token;
        text.push(token);
        unread = [token];
        yield token;
        if (settings.eosTokenId.includes(token)) return "eos";
        signal?.throwIfAborted();
      }
      return "length";
    } finally {
      reader.end();
    }
  }

  async #encode(inputs: EncoderInputs | undefined, signal: AbortSignal | undefined): Promise<Encoded | null> {
    if (this.#encoder !== null && inputs !== undefined) return await this.#encoder.encode(inputs, signal);
    if (this.#encoder === null && inputs === undefined) return null;
    throw generateError("generate.prompt", {
      what:
        this.#encoder === null
          ? "The model has no encoder"
          : "The model has an encoder, and there is nothing for it to read",
      advice:
        this.#encoder === null
          ? "leave out `encoderInputs`: the prompt is all that it reads"
          : `give the option \`encoderInputs\` with ${this.#encoder.inputs.map(({ name }) => name).join(", ")}`,
    });
  }

  /** The last new token is read by nothing, so that it needs no room. */
  #requireRoom(prompt: number, maxNewTokens: number): void {
    const { capacity } = this;
    if (capacity === null || prompt + maxNewTokens - 1 <= capacity) return;
    throw generateError("generate.length", {
      what: `${prompt} tokens and ${maxNewTokens} new ones do not fit into a cache of ${capacity}`,
      advice:
        "ask for fewer with `maxNewTokens`, or export with a larger `max_cache_len`; a model with a sliding window needs a cache that grows for more",
      details: { capacity },
    });
  }

  /** Frees the programs; waits for calls under way. The backend stays. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([this.#encoder?.dispose(), this.#decoder.dispose(), this.#sampler.dispose()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

function forcedToken(length: number, created: number, settings: Settings): number | null {
  const { forcedBosTokenId, forcedEosTokenId, maxNewTokens } = settings;
  if (length === 1 && forcedBosTokenId !== null) return forcedBosTokenId;
  return created === maxNewTokens - 1 ? forcedEosTokenId : null;
}

/** The tokens of a prompt; `start` stands for one without any, if it is known. */
function tokensOf(prompt: readonly number[] | BigInt64Array, start: number | null): number[] {
  const isList = Array.isArray(prompt) || ArrayBuffer.isView(prompt);
  if (isList && prompt.length === 0 && start !== null) return [start];
  const tokens = isList ? Array.from(prompt as Iterable<number | bigint>, Number) : [];
  if (tokens.length > 0 && tokens.every((token) => Number.isSafeInteger(token) && token >= 0)) return tokens;
  throw generateError("generate.prompt", {
    what: isList && tokens.length === 0 ? "The prompt has no tokens" : "The prompt is not an array of tokens",
    advice:
      "give what a tokenizer made of a text, such as `tokenizer.encode(text).ids`; the first is often `bos_token_id`",
  });
}
